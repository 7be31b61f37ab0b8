// SPDX-License-Identifier: MIT
// Products with a sparse M (m x n, by rows), cut into tasks. Every row of the result is summed by one task
// and in the order of the rows of M, so that the number of tasks may depend on the team without changing a
// bit.
#pragma once

#include <span>
#include <vector>

#include "anmf/data.h"

namespace anmf {

/// Splits rows into at most 256 runs of about equal numbers of nonzeros (plus one per row, so that long
/// stretches of empty rows are split too). Run b is [result[b], result[b + 1]).
[[nodiscard]] std::vector<Index> balanced_rows(std::span<const Index> offsets);

/// C (m x r) = M F (F is n x r). `runs` are balanced_rows() of M.
template <class T>
void sparse_product(const Csr<T>& M, const std::vector<Index>& runs, ConstMatrixView<T> F, MatrixView<T> C,
                    ThreadPool& pool);

/// C (n x r) += M' X (X is m x r). `runs` cut the columns of M into parts of about equal work.
template <class T>
void add_transposed_product(const Csr<T>& M, const std::vector<Index>& runs, ConstMatrixView<T> X,
                            MatrixView<T> C, ThreadPool& pool);

}  // namespace anmf
