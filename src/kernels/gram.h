// SPDX-License-Identifier: MIT
// G = X' X (r x r) for a tall factor X (N x r), and inner products of tall matrices.
#pragma once

#include <type_traits>

#include "anmf/matrix.h"
#include "core/workers.h"

namespace anmf {

/// Below this multiple of ||M||^2 the cheap formula ||M - W H||^2 = ||M||^2 - 2 <M H', W> + <H H', W' W> has
/// lost its digits to cancellation.
template <class T>
inline constexpr double kCancellation = std::is_same_v<T, float> ? 1e-3 : 1e-10;

/// X' X, kept in double for both element types: it enters the objective, where terms cancel.
template <class T>
[[nodiscard]] Matrix<double> gram(ConstMatrixView<T> X, const Workers& workers);

/// <X, Y>, accumulated in double.
template <class T>
[[nodiscard]] double inner_product(ConstMatrixView<T> X, ConstMatrixView<T> Y, const Workers& workers);

/// The sum of all entries of X, accumulated in double.
template <class T>
[[nodiscard]] double sum_of_entries(ConstMatrixView<T> X, const Workers& workers);

/// <A, B> of two small matrices.
[[nodiscard]] double inner_product(const Matrix<double>& A, const Matrix<double>& B);

}  // namespace anmf
