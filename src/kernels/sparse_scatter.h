// SPDX-License-Identifier: MIT
// Products of the transpose of a sparse M (by rows) with a tall dense factor, vectorised over the columns of
// the factor, without M' in memory.
#pragma once

#include "anmf/data.h"

namespace anmf {

/// C[indices[k], :] += values[k] * X[i, :] for the entries k of every row i whose column is in [begin, end).
/// M is m x n, X is m x r, C is n x r. The terms of a row of C are added in the order of the rows of M.
template <class T>
void sparse_scatter(const Csr<T>& M, ConstMatrixView<T> X, MatrixView<T> C, Index begin, Index end);

}  // namespace anmf
