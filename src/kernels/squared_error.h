// SPDX-License-Identifier: MIT
// ||M - W H||^2 from quantities that a half-step leaves behind.
#pragma once

#include "anmf/data.h"
#include "anmf/matrix.h"

namespace anmf {

/// The terms of ||M - W H||^2 = ||M||^2 - 2 <M, W H> + ||W H||^2. With X either factor, F the other one and C
/// the product of M with F, the second is <C, X>, and the third is the inner product of both Gram matrices.
struct ErrorTerms {
  double squared_norm = 0;  ///< ||M||^2
  double overlap = 0;       ///< <M, W H>
  double square = 0;        ///< ||W H||^2
};

/// Below this multiple of ||M||^2 the difference of the terms has lost its digits to cancellation.
template <class T>
inline constexpr double kCancelled = sizeof(T) == 4 ? 1e-3 : 1e-10;
/// The difference is off by about this multiple of ||M||^2.
template <class T>
inline constexpr double kDifferenceRounding = sizeof(T) == 4 ? 1e-7 : 1e-13;

struct SquaredError {
  double value = 0;     ///< NaN if a term is
  double rounding = 0;  ///< by how much the value may be off
};

/// The squared error by its three terms, or from the entries of M where that difference cancels and M shows
/// its entries. Of M and tall factors, as Data has them.
template <class T>
[[nodiscard]] SquaredError squared_error(const Data<T>& M, const ErrorTerms& terms, ConstMatrixView<T> W,
                                         ConstMatrixView<T> Ht, ThreadPool& pool);

}  // namespace anmf
