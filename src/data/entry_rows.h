// SPDX-License-Identifier: MIT
// Rows of a block of M, or of M', as the losses that look at entries take them: dense, whatever the block is,
// or their nonzeros alone.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "anmf/entries.h"

namespace anmf {

/// Rows [begin, end) of the block into `tile` (end - begin x columns of the block).
template <class T>
void load_rows(const EntryBlock<T>& block, Index begin, Index end, MatrixView<T> tile);

/// How much the entries of these rows count in the problems of their rows, where not all count the same.
template <class T>
void load_weights(const EntryBlock<T>& block, Index begin, Index end, MatrixView<T> tile);

/// The same rows where they lie in memory if they lie there as rows of T, and otherwise in `tile`.
template <class T>
[[nodiscard]] ConstMatrixView<T> see_rows(const EntryBlock<T>& block, Index begin, Index end,
                                          MatrixView<T> tile);

/// The same rows as sparse lines: those of a sparse block where they lie, and otherwise a copy, which is
/// dense entries without their zeros, or the lines of a block that are columns turned into rows.
template <class T>
class SparseRows {
 public:
  explicit SparseRows(const EntryBlock<T>& block);

  [[nodiscard]] const SparseLines<T>& lines() const { return lines_; }
  [[nodiscard]] std::span<const std::uint32_t> indices(Index row) const {
    return lines_.indices.subspan(begin(row), size(row));
  }
  [[nodiscard]] std::span<const T> values(Index row) const {
    return lines_.values.subspan(begin(row), size(row));
  }
  /// An entry of M is the stored one times this, which is a power of four.
  [[nodiscard]] T scale() const { return scale_; }

 private:
  [[nodiscard]] std::size_t begin(Index row) const {
    return static_cast<std::size_t>(lines_.offsets[static_cast<std::size_t>(row)]);
  }
  [[nodiscard]] std::size_t size(Index row) const {
    return static_cast<std::size_t>(lines_.offsets[static_cast<std::size_t>(row) + 1]) - begin(row);
  }

  Csr<T> copy_;
  SparseLines<T> lines_;
  T scale_ = 1;
};

}  // namespace anmf
