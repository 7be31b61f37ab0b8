// SPDX-License-Identifier: MIT
// Products of tall matrices (N x l) with each other and with small ones, in chunks of rows.
#pragma once

#include "anmf/matrix.h"
#include "anmf/parallel.h"

namespace anmf {

/// X' F (l x r) for tall X (N x l) and F (N x r): partial products over chunks, added in chunk order.
template <class T>
[[nodiscard]] Matrix<T> transposed_product(ConstMatrixView<T> X, ConstMatrixView<T> F, ThreadPool& pool);

/// result = X S (N x r) for a tall X (N x l) and a small S (l x r).
template <class T>
void multiply_small(ConstMatrixView<T> X, ConstMatrixView<T> S, MatrixView<T> result, ThreadPool& pool);

}  // namespace anmf
