// SPDX-License-Identifier: MIT
// Rows with many entries (kernels/counted_rows.h): each has normal equations of its own, the lower triangle
// of
//
//     sum_j p_j (f_j, a_j) (f_j, a_j)',
//
// r + 1 coordinates of which the last one is the entry: G in the first r rows, c in the last one, and behind
// it sum p a^2, with which the residual comes without another look at the entries. Rows of F are gathered a
// few at a time into a small panel, and the triangle is summed in registers tile by tile. Then rows are swept
// over side by side: P[k][lane] for the k-th number of the triangle.
#pragma once

#include <cstddef>

#include "kernels/counted_rows.h"

namespace anmf {

/// Memory of one thread, in numbers.
struct NormalSizes {
  std::size_t panel;      ///< rows of F that are added up together; its padding is zero
  std::size_t own;        ///< the triangle of one row
  std::size_t triangles;  ///< of rows side by side
  std::size_t factor;     ///< their x, and what their diagonals are divided by
};

template <class T>
struct NormalMemory {
  T* panel;
  T* own;
  T* triangles;
  T* factor;
};

template <class T>
struct NormalKernels {
  std::size_t lanes;
  NormalSizes (*sizes)(std::size_t rank);
  /// Makes the equations of a row and puts them into a lane.
  void (*add_up)(ConstMatrixView<T> F, const CountedEntries<T>& entries, std::size_t lane,
                 const NormalMemory<T>& memory);
  /// Sweeps over the first `count` lanes. What other lanes hold does not matter.
  void (*sweep)(const RowSweeps<T>& sweeps, SweptRow<T>* rows, std::size_t count,
                const NormalMemory<T>& memory);
};

template <class T>
[[nodiscard]] const NormalKernels<T>& normal_kernels();
template <class T>
[[nodiscard]] NormalKernels<T> find_normal_kernels();

}  // namespace anmf
