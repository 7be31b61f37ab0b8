// SPDX-License-Identifier: MIT
// The rows of a tall X (N x r) as solutions of nonnegative least squares problems that share one Gram matrix
// G (r x r), each with its row of C (N x r), in double whatever T is.
#pragma once

#include <span>

#include "core/workers.h"
#include "kernels/nnls.h"

namespace anmf {

struct NnlsRowsReport {
  double squared_step = 0;  ///< ||X_new - X_old||_F^2
  double flops = 0;
};

/// Every row of X is a warm start on entry and the solution for its row of C - l on return, l being `linear`
/// (r numbers, or none). If there is an anchor a (r numbers), X_old diag(a) is added to C: with diag(a) on
/// the diagonal of G, steps are then kept short by 1/2 (x - x_old)' diag(a) (x - x_old).
template <class T>
NnlsRowsReport solve_rows(const NnlsSolver& solver, ConstMatrixView<T> C, std::span<const double> linear,
                          MatrixView<T> X, const Workers& workers, std::span<const double> anchor = {});

/// What solve_rows() has in memory beside X and C.
[[nodiscard]] double solve_rows_bytes(Index rows, Index rank, int threads);

/// How far rows are from optimal, without a unit (anmf/nnls.h): the largest |min(s_p x_p, g_p / s_p)|,
/// s_p^2 = G_pp, relative to the largest |c_p| / s_p of the same row. `gradient` is X G - C.
template <class T>
[[nodiscard]] double kkt_residual(ConstMatrixView<double> G, ConstMatrixView<T> C,
                                  ConstMatrixView<double> gradient, ConstMatrixView<T> X);

}  // namespace anmf
