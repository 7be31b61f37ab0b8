// SPDX-License-Identifier: MIT
// Products of a sparse M (by rows) with a tall dense factor, vectorised over the columns of the factor.
#pragma once

#include <algorithm>
#include <cstddef>

#include "anmf/data.h"

namespace anmf {

/// A piece of F of this size is read from a cache while many rows of C gather from it.
inline constexpr std::size_t kSegmentBytes = std::size_t{8} << 20U;

/// In how many pieces a product with `columns` columns takes the rows of F: more than one where F is too
/// large for the caches and rows of M have entries enough for each piece. The pieces pay if many rows of C
/// are computed by one call.
template <class T>
[[nodiscard]] Index factor_segments(const Csr<T>& M, Index columns) {
  constexpr Index kEntriesPerPiece = 4;
  constexpr Index kFewest = 3;
  const Index pieces = M.cols * columns * static_cast<Index>(sizeof(T)) / static_cast<Index>(kSegmentBytes);
  const Index worthwhile =
      static_cast<Index>(M.values.size()) / std::max<Index>(1, M.rows) / kEntriesPerPiece;
  return std::min(pieces, worthwhile) < kFewest ? 1 : std::min(pieces, worthwhile);
}

/// C[i, :] = sum over the entries k of row i of values[k] * F[indices[k], :], for i in [begin, end).
/// M is m x n, F is n x r, C is m x r. The terms are added in the order of the entries.
template <class T>
void sparse_cross(const Csr<T>& M, ConstMatrixView<T> F, MatrixView<T> C, Index begin, Index end);

}  // namespace anmf
