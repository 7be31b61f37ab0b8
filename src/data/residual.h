// SPDX-License-Identifier: MIT
// ||M - W H||_F^2 (M is m x n, W m x r, Ht n x r) summed from the entries: rows of the residual are formed in
// T, their squares are added in double. 2 m n r flops, also for a sparse M: the short form over its nonzeros
// cancels just like the formula that this one replaces.
#pragma once

#include "anmf/data.h"

namespace anmf {

/// The entries of M are stored as S.
template <class S, class T>
[[nodiscard]] double dense_residual(ConstMatrixView<S> M, ConstMatrixView<T> W, ConstMatrixView<T> Ht,
                                    ThreadPool& pool);

template <class T>
[[nodiscard]] double sparse_residual(const Csr<T>& M, ConstMatrixView<T> W, ConstMatrixView<T> Ht,
                                     ThreadPool& pool);

/// What these have in memory beside M and the factors.
template <class T>
[[nodiscard]] double residual_bytes(Index rows, Index cols, int threads);

}  // namespace anmf
