// SPDX-License-Identifier: MIT
// Nonnegative least squares for many right-hand sides, solved exactly by block principal pivoting.
#pragma once

#include "anmf/data.h"
#include "anmf/error.h"

namespace anmf {

/// Solutions with a certificate. With the gradient g of the objective at x and s_p = ||a_p||, x is optimal
/// exactly if min(s_p x_p, g_p / s_p) = 0 for every p; `kkt` is the largest of these minima, over all
/// right-hand sides b, relative to the largest |<a_p, b>| / s_p of the same b. The number has no unit: 1e-12
/// is as good as double gets for well-conditioned problems.
template <class T>
struct NnlsResult {
  Matrix<T> X;
  double kkt = 0;
};

/// The X (r x k) >= 0 that minimises ||A X - B||_F^2 for A (p x r) and B (p x k), whose entries may have any
/// sign. Throws InvalidInput for sizes that do not fit and for entries that are not finite. The normal
/// equations are solved, so digits are lost with the square of the condition of A: look at kkt.
[[nodiscard]] NnlsResult<double> nnls(ConstMatrixView<double> A, ConstMatrixView<double> B, int threads = 0,
                                      Interrupt interrupt = {});

/// Penalty of the entries of W, as Options has it: alpha * n * (l1_ratio * sum(W) + (1 - l1_ratio) / 2 *
/// ||W||^2) is added to ||M - W H||^2 / 2.
struct FitOptions {
  double alpha_W = 0;
  double l1_ratio = 0;
  int threads = 0;  ///< 0 takes every core this process may use
};

/// The W (m x r) >= 0 that fits M (m x n) best with a given H (r x n) >= 0: the weights of new rows in a
/// model that exists already. X of the result is W.
template <class T>
[[nodiscard]] NnlsResult<T> fit_rows(const Data<T>& data, ConstMatrixView<T> H,
                                     const FitOptions& options = {}, Interrupt interrupt = {});

/// ||M - W H||_F for M (m x n), W (m x r) and H (r x n); 0 threads stands for every core.
template <class T>
[[nodiscard]] double fit_error(const Data<T>& data, Matrix<T> W, ConstMatrixView<T> H, int threads = 0,
                               Interrupt interrupt = {});

extern template double fit_error(const Data<float>&, Matrix<float>, ConstMatrixView<float>, int, Interrupt);
extern template double fit_error(const Data<double>&, Matrix<double>, ConstMatrixView<double>, int,
                                 Interrupt);
extern template NnlsResult<float> fit_rows(const Data<float>&, ConstMatrixView<float>, const FitOptions&,
                                           Interrupt);
extern template NnlsResult<double> fit_rows(const Data<double>&, ConstMatrixView<double>, const FitOptions&,
                                            Interrupt);

}  // namespace anmf
