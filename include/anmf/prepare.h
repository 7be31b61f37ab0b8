// SPDX-License-Identifier: MIT
// What is done to a matrix before it is factorized: a list of steps such as "total=1e4,log1p", applied in
// order. Rows are samples (documents, cells, pixels), columns are features (words, genes, bands). Every step
// keeps zeros, so that a sparse matrix stays sparse.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "anmf/data.h"
#include "anmf/entries.h"
#include "anmf/matrix.h"

namespace anmf {

/// The entries of a matrix in memory of its own: dense, or sparse.
template <class T>
using OwnEntries = std::variant<Matrix<T>, Csr<T>>;

/// A copy of the entries of M, which must show them.
template <class T>
[[nodiscard]] OwnEntries<T> copy_entries(const Data<T>& M);

enum class PrepareKind { log1p, sqrt, tfidf, total, unit_variance, max, top_variance };

/// A kind of step as it is written: log1p, total=1e4, max=1:rows.
struct PrepareKindInfo {
  PrepareKind kind;
  std::string_view name;
  bool has_number;           ///< which stands behind "="
  std::optional<Side> side;  ///< Side::W: rows, Side::H: columns, and ":rows" or ":columns" may say otherwise
  std::string_view help;
};
[[nodiscard]] const std::vector<PrepareKindInfo>& prepare_kinds();

struct PrepareStep {
  PrepareKind kind = PrepareKind::log1p;
  double number = 0;    ///< the sum, the maximum, or how many features stay
  Side side = Side::H;  ///< total, max: whether rows (W) or columns (H) are brought to it
  /// What an entry is divided by, one for each column, or for tfidf multiplied by. Nothing before the step
  /// has seen a matrix, and for a step that learns nothing.
  std::vector<double> learnt;
  std::vector<Index> kept;  ///< top_variance: the columns that stay, in ascending order

  [[nodiscard]] bool learns() const;
  bool operator==(const PrepareStep&) const = default;
};

/// As in a list of steps: "total=10000".
[[nodiscard]] std::string to_string(const PrepareStep& step);

class Preparation {
 public:
  Preparation() = default;
  /// From steps with commas between them; "none" stands for no step. Throws InvalidInput for a step that does
  /// not exist and for a number out of its range.
  explicit Preparation(std::string_view list);
  /// From what another one has learnt, for matrices of so many columns. Throws InvalidInput if the steps do
  /// not go together.
  Preparation(std::vector<PrepareStep> steps, Index features);

  [[nodiscard]] bool empty() const { return steps_.empty(); }
  [[nodiscard]] const std::vector<PrepareStep>& steps() const { return steps_; }
  /// Columns of the matrices that it prepares; 0 before it has seen one.
  [[nodiscard]] Index features() const { return features_; }
  /// The list of steps.
  [[nodiscard]] std::string text() const;
  /// Whether a step learns from the matrix it sees first.
  [[nodiscard]] bool learns() const;
  /// The columns that are left of the matrix, in ascending order. Nothing if all of them are.
  [[nodiscard]] std::optional<std::vector<Index>> kept() const;

  /// Learns from M what there is to learn, step by step, and prepares it. M has no negative entries. Throws
  /// InvalidInput if M has fewer columns than are to be kept, or if an entry becomes infinite.
  template <class T>
  void learn_and_apply(OwnEntries<T>& M);
  /// Prepares M with what was learnt before. Throws InvalidInput if M has another number of columns, if
  /// nothing was learnt but should be, or if an entry becomes infinite.
  template <class T>
  void apply(OwnEntries<T>& M) const;

 private:
  std::vector<PrepareStep> steps_;
  Index features_ = 0;
};

}  // namespace anmf
