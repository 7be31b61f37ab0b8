// SPDX-License-Identifier: MIT
// The entries of M (m x n) as data shows them: block after block, in the memory and in the type in which they
// are stored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <type_traits>
#include <variant>
#include <vector>

#include "anmf/matrix.h"

namespace anmf {

/// Rows [begin, begin + count) of a factor, or of M or M'.
struct RowRange {
  Index begin = 0;
  Index count = 0;

  bool operator==(const RowRange&) const = default;
};

/// How a matrix lies in memory: its lines are rows, or columns.
enum class Layout { row_major, column_major };

/// Compressed sparse rows: row i holds the entries offsets[i] .. offsets[i+1] of `indices` (columns)
/// and `values`.
template <class T>
struct Csr {
  Index rows = 0;
  Index cols = 0;
  std::vector<Index> offsets;
  std::vector<std::uint32_t> indices;
  std::vector<T> values;
};

/// Sparse lines over memory that somebody else owns: line k holds the entries offsets[k] .. offsets[k+1] of
/// `indices` (positions in the line, ascending) and `values`. offsets[0] may be greater than 0.
template <class T>
struct SparseLines {
  Index width = 0;  ///< a line has so many positions
  std::span<const Index> offsets;
  std::span<const std::uint32_t> indices;
  std::span<const T> values;

  SparseLines() = default;
  SparseLines(const Csr<T>& rows)  // NOLINT(google-explicit-constructor): a view, as MatrixView is
      : width(rows.cols), offsets(rows.offsets), indices(rows.indices), values(rows.values) {}

  [[nodiscard]] Index lines() const { return static_cast<Index>(offsets.size()) - 1; }
};

/// Lines of entries: sparse, or dense in their own type, which may be narrower than T.
template <class T>
using EntryLines = std::conditional_t<
    std::is_same_v<T, float>,
    std::variant<ConstMatrixView<float>, ConstMatrixView<std::uint16_t>, ConstMatrixView<std::uint8_t>,
                 SparseLines<float>>,
    std::variant<ConstMatrixView<double>, ConstMatrixView<float>, ConstMatrixView<std::uint16_t>,
                 ConstMatrixView<std::uint8_t>, SparseLines<double>>>;

/// Which entries of a matrix are to be fitted, beside the weights of its rows and columns.
enum class Counted {
  all,
  stored,   ///< those that are stored in sparse lines, zeros among them too
  all_but,  ///< all but those at some places, where M holds zeros
  numbers,  ///< all but those that are NaN, of dense lines
  each      ///< every one as much as a number of its own says
};

/// Places in the rows of a matrix: row i has offsets[i] .. offsets[i+1] of `indices`, which ascend.
/// offsets[0] may be greater than 0.
struct PlacesView {
  std::span<const Index> offsets;
  std::span<const std::uint32_t> indices;

  [[nodiscard]] std::span<const std::uint32_t> row(Index i) const {
    const auto begin = static_cast<std::size_t>(offsets[static_cast<std::size_t>(i)]);
    return indices.subspan(begin, static_cast<std::size_t>(offsets[static_cast<std::size_t>(i) + 1]) - begin);
  }
};

/// How much the entries of a block of A count in the problem of their row, where not all count the same. What
/// a row counts itself is apart from that: it scales the problem of the row, and changes no solution.
template <class T>
struct EntryWeights {
  Counted counted = Counted::all;
  std::span<const T> of_rows;     ///< how much each row of the block counts; empty: 1
  std::span<const T> of_columns;  ///< how much every entry of a column of the block counts; empty: 1
  std::span<const T> of_stored;   ///< beside `values` of sparse lines, with those of columns; empty: 1
  PlacesView missing;             ///< rows of the block, for all_but
  ConstMatrixView<T> own;         ///< for `each`, without those of columns: lines as own_layout says
  Layout own_layout = Layout::row_major;

  [[nodiscard]] bool alike() const {
    return counted == Counted::all && of_rows.empty() && of_columns.empty();
  }
  /// Whether the row problem knows no weights.
  [[nodiscard]] bool alike_in_rows() const { return counted == Counted::all && of_columns.empty(); }
};

/// The entries of some rows and columns of a matrix A, which is M or M': whoever asked for the block knows
/// which.
template <class T>
struct EntryBlock {
  RowRange rows;     ///< of A
  RowRange columns;  ///< of A
  /// row_major: line k is row rows.begin + k of A, and position 0 of the line is column columns.begin.
  /// column_major: line k is column columns.begin + k of A, and position 0 of the line is row rows.begin.
  Layout layout = Layout::row_major;
  EntryLines<T> lines;
  /// An entry of A is the stored entry divided by this number, which is a power of four.
  double divisor = 1;
  EntryWeights<T> weights;
};

template <class T>
using EntryVisitor = std::function<void(const EntryBlock<T>&)>;

}  // namespace anmf
