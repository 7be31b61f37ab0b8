// SPDX-License-Identifier: MIT
// Orthonormal bases of tall matrices by Cholesky QR: with the Gram matrix Y'Y = R'R the columns of Y R^-1
// are orthonormal, and all work on the N x l matrix itself is two products. R comes from a Cholesky
// factorization with pivoting that leaves out columns which depend on others.
#pragma once

#include "anmf/matrix.h"
#include "core/workers.h"

namespace anmf {

/// Q (N x k, k <= l) spans the columns of Y (N x l) up to 1e-6 of the longest one, and its columns are
/// orthonormal up to a loss that grows with the condition of Y. A zero matrix has no columns left.
[[nodiscard]] Matrix<double> nearly_orthonormal(const Matrix<double>& Y, const Workers& workers);

/// The same with Q'Q = I to rounding: the second round starts from a well-conditioned matrix.
[[nodiscard]] Matrix<double> orthonormal(const Matrix<double>& Y, const Workers& workers);

}  // namespace anmf
