// SPDX-License-Identifier: MIT
// What a loss asks at some places j of a row of M: its model there, and sums of rows of F (K x r).
#pragma once

#include <cstddef>
#include <cstdint>

#include "anmf/matrix.h"

namespace anmf {

template <class T>
struct SparseRowKernels {
  /// y_k = <w, F(indices[k], :)> for k < count; w has r entries.
  void (*model)(ConstMatrixView<T> F, const T* w, const std::uint32_t* indices, std::size_t count, T* y);
  /// sums_p = sum over k of u_k F(indices[k], p), p < r.
  void (*sums)(ConstMatrixView<T> F, const T* u, const std::uint32_t* indices, std::size_t count, T* sums);
  /// sums_p = sum over k of u_k y_k F(indices[k], p) with the models y_k of w; `u` may be null: 1.
  void (*model_sums)(ConstMatrixView<T> F, const T* w, const T* u, const std::uint32_t* indices,
                     std::size_t count, T* sums);
  /// As sums(), with the squares of the entries of F.
  void (*square_sums)(ConstMatrixView<T> F, const T* u, const std::uint32_t* indices, std::size_t count,
                      T* sums);
};

template <class T>
[[nodiscard]] const SparseRowKernels<T>& sparse_row_kernels();
template <class T>
[[nodiscard]] SparseRowKernels<T> find_sparse_row_kernels();

}  // namespace anmf
