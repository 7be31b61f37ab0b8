// SPDX-License-Identifier: MIT
// G = X' X (r x r) for a tall factor X (N x r), and inner products of tall matrices.
#pragma once

#include <span>

#include "anmf/matrix.h"
#include "core/workers.h"

namespace anmf {

/// X' X, kept in double for both element types: it enters the objective, where terms cancel.
template <class T>
[[nodiscard]] Matrix<double> gram(ConstMatrixView<T> X, const Workers& workers);

/// <X, Y>, accumulated in double.
template <class T>
[[nodiscard]] double inner_product(ConstMatrixView<T> X, ConstMatrixView<T> Y, const Workers& workers);

/// The sum of all entries of X, as often as their rows count, accumulated in double; empty: once.
template <class T>
[[nodiscard]] double sum_of_entries(ConstMatrixView<T> X, const Workers& workers,
                                    std::span<const T> weights = {});

/// <A, B> of two small matrices.
[[nodiscard]] double inner_product(const Matrix<double>& A, const Matrix<double>& B);

}  // namespace anmf
