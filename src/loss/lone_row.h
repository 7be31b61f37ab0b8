// SPDX-License-Identifier: MIT
// Rows x (1 x r) of a factor that are improved by themselves: D(a | x F') + penalty(x), a being a dense row
// of M.
#pragma once

#include <cstdint>
#include <vector>

#include "loss/kl_memory.h"
#include "loss/row_method.h"

namespace anmf {

/// Some rows of a block, and the memory that they take, for one thread. What becomes of a row does not depend
/// on the others.
template <class T>
class LoneRows {
 public:
  void clear() { rows_.clear(); }
  /// Row `row` of the block, whose K entries are x.
  void add(Index row, T* w, const T* x) { rows_.push_back({row, w, x}); }
  /// By coordinate descent where there is one, else by a multiplicative update; both only fall. Returns the
  /// loss of all rows, if that is wanted.
  double improve(const RowProblem<T>& problem, const EntryBlock<T>& block);

  /// What it keeps for rows of K entries.
  [[nodiscard]] static double bytes(Index K, Index rank) {
    const auto lanes = static_cast<Index>(kl_kernels<T>().lanes);
    const Index entries = K <= kSideBySide ? K * lanes : K;
    return KlMemory<T>::bytes(entries, static_cast<std::size_t>(lanes), rank) +
           static_cast<double>(entries) * (sizeof(T) + sizeof(std::uint32_t));
  }

 private:
  // Rows of at most so many entries go side by side, in the lanes of vectors.
  static constexpr Index kSideBySide = 256;

  struct Row {
    Index row;
    T* w;
    const T* x;
  };
  double multiply(const RowProblem<T>& problem, const EntryBlock<T>& block, const Row& row);
  double descend(const RowProblem<T>& problem);
  double descend(const RowProblem<T>& problem, const EntryBlock<T>& block, const Row& row);
  double descend(const RowProblem<T>& problem, KlRow<T>* rows, std::size_t count);

  std::vector<Row> rows_;
  KlMemory<T> panel_;
  std::vector<std::uint32_t> indices_;  // of the nonzeros of all rows
  std::vector<T> values_;
  std::vector<T> linear_;
  std::vector<KlRow<T>> together_;
};

}  // namespace anmf
