// SPDX-License-Identifier: MIT
// The curvature u of every column (K x 1) that all rows share (loss/shared_newton.cpp), and its Gram matrix.
#pragma once

#include "loss/row_method.h"

namespace anmf {

/// To begin with: the curvature at a model that is the mean of its column.
template <class T>
[[nodiscard]] Matrix<T> guessed_curvature(const RowProblem<T>& problem, ConstMatrixView<T> X,
                                          const Workers& workers);

/// F' diag(u) F (r x r), in chunks of rows, added in their order.
template <class T>
[[nodiscard]] Matrix<T> weighted_gram(ConstMatrixView<T> F, const Matrix<T>& u, ThreadPool& pool);

}  // namespace anmf
