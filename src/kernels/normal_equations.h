// SPDX-License-Identifier: MIT
// Least squares of one row a of A over the entries that count, each p_j times, beside F (K x r):
//
//     1/2 sum_j p_j (a_j - <x, f_j>)^2 + l1 sum(x) + l2/2 ||x||^2,   x >= 0.
//
// The row has normal equations of its own. They are those of the lower triangle of
//
//     sum_j p_j (f_j, a_j) (f_j, a_j)',
//
// r + 1 coordinates of which the last one is the entry: G in the first r rows, c in the last one, and behind
// it sum p a^2, with which the residual comes without another look at the entries. Rows of F are gathered a
// few at a time into a small panel, and the triangle is summed in registers tile by tile. Then rows are swept
// over side by side, one in each lane: P[k][lane] for the k-th number of the triangle.
#pragma once

#include <cstddef>
#include <cstdint>

#include "anmf/matrix.h"

namespace anmf {

/// The entries of one row of A that count.
template <class T>
struct CountedEntries {
  const std::uint32_t* indices = nullptr;
  const T* values = nullptr;
  const T* roots = nullptr;  ///< the square roots of p; null: 1
  std::size_t count = 0;
  T scale = 1;  ///< an entry is the stored one times this
};

/// A row that is swept over, and what came of it.
template <class T>
struct SweptRow {
  T* x = nullptr;    ///< r numbers
  Index budget = 1;  ///< sweeps at the most, at least 1
  Index sweeps = 0;
  T squares = 0;   ///< sum p a^2
  T residual = 0;  ///< sum p (a - y)^2, to the rounding of that sum
};

template <class T>
struct RowSweeps {
  std::size_t rank = 0;
  T l1 = 0;
  T l2 = 0;
  T share = 0;  ///< rows stop behind a squared step that is at most this multiple of the first; 0: never
  bool wants_residual = false;
};

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
