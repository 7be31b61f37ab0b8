// SPDX-License-Identifier: MIT
// Rows with few entries (kernels/counted_rows.h): their residuals e_j are kept up to date, 2 n r
// multiply-adds per sweep over n entries, and no Gram matrix is made. Rows of F are gathered once into a
// panel, P[k][j][lane] for coordinate k of entry j, and stay in the caches; entries and rows of F are
// multiplied with the roots of what they count.
#pragma once

#include <cstddef>

#include "kernels/counted_rows.h"

namespace anmf {

/// Memory of one thread for rows of at most n entries.
template <class T>
struct ResidualMemory {
  T* panel;   ///< r * n * lanes
  T* e;       ///< 2 * n * lanes
  T* factor;  ///< 2 * r * lanes
};

template <class T>
struct ResidualKernels {
  std::size_t lanes;
  /// Improves `count` rows, at most one for each lane.
  void (*sweep)(ConstMatrixView<T> F, const RowSweeps<T>& sweeps, const CountedEntries<T>* entries,
                SweptRow<T>* rows, std::size_t count, const ResidualMemory<T>& memory);
};

template <class T>
[[nodiscard]] const ResidualKernels<T>& residual_kernels();
template <class T>
[[nodiscard]] ResidualKernels<T> find_residual_kernels();

}  // namespace anmf
