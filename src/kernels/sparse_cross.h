// SPDX-License-Identifier: MIT
// Products of a sparse M (by rows) with a tall dense factor, vectorised over the columns of the factor.
#pragma once

#include "anmf/data.h"

namespace anmf {

/// C[i, :] = sum over the entries k of row i of values[k] * F[indices[k], :], for i in [begin, end).
/// M is m x n, F is n x r, C is m x r. The terms are added in the order of the entries.
template <class T>
void sparse_cross(const Csr<T>& M, ConstMatrixView<T> F, MatrixView<T> C, Index begin, Index end);

}  // namespace anmf
