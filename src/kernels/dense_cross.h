// SPDX-License-Identifier: MIT
// Products of a block of a dense M with a tall factor, C = op(A) F, for the skinny shapes where BLAS spends
// its time on packing: A is read where it lies.
#pragma once

#include <cstddef>

#include "anmf/matrix.h"
#include "core/blas.h"

namespace anmf {

/// Memory that will be read soon: rows of so many bytes each.
struct Upcoming {
  const std::byte* data = nullptr;
  Index rows = 0;
  Index row_bytes = 0;
  Index stride_bytes = 0;
};

/// C (N x r) = op(A) F, or C += op(A) F if `add`. A is N x K, or K x N if it is to be transposed; F is K x r.
template <class T>
void dense_cross(blas::Op op, ConstMatrixView<T> A, ConstMatrixView<T> F, MatrixView<T> C, bool add,
                 const Upcoming& upcoming = {});

}  // namespace anmf
