// SPDX-License-Identifier: MIT
// ||M - W H||_F^2 (M is m x n, W m x r, Ht n x r) summed from the entries: rows of the residual are formed in
// T, their squares are added in double. 2 m n r flops, also for a sparse M: the short form over its nonzeros
// cancels just like the formula that this one replaces.
#pragma once

#include "anmf/data.h"

namespace anmf {

/// ||M_b - W_b H_b||^2 for a block M_b of M. W and Ht are the factors of all of M.
template <class T>
[[nodiscard]] double block_squared_residual(const EntryBlock<T>& block, ConstMatrixView<T> W,
                                            ConstMatrixView<T> Ht, ThreadPool& pool);

/// What this has in memory beside M and the factors.
template <class T>
[[nodiscard]] double residual_bytes(Index rows, Index cols, int threads);

}  // namespace anmf
