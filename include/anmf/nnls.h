// SPDX-License-Identifier: MIT
// Rows that fit best beside a given factor: nonnegative least squares for many right-hand sides, solved
// exactly by block principal pivoting, and the same for the other losses, solved to the last digits.
#pragma once

#include <string>

#include "anmf/data.h"
#include "anmf/error.h"

namespace anmf {

/// Solutions with a certificate. With the gradient g of the objective at x and s_p = ||a_p||, x is optimal
/// exactly if min(s_p x_p, g_p / s_p) = 0 for every p; `kkt` is the largest of these minima, over all
/// right-hand sides b, relative to the largest |<a_p, b>| / s_p of the same b. The number has no unit: 1e-12
/// is as good as double gets for well-conditioned problems. For other losses s_p^2 is the second derivative
/// along x_p, of the loss itself or of the convex function above it, and sum_j b_j y_j^(beta-2) a_jp, y = A
/// x, takes the place of <a_p, b>; a row ends where steps along its coordinates promise less than 1e-12 of
/// its objective, which is a kkt of some 1e-6.
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

/// Loss, and penalty of the entries of W, as Options has them: alpha * n * (l1_ratio * sum(W) + (1 -
/// l1_ratio) / 2 * ||W||^2) is added to the loss D(M | W H), which is ||M - W H||^2 / 2 for frobenius.
struct FitOptions {
  std::string loss = "frobenius";  ///< frobenius, kullback-leibler (kl), itakura-saito (is), or beta
  double alpha_W = 0;
  double l1_ratio = 0;
  int threads = 0;  ///< 0 takes every core this process may use
};

/// The W (m x r) >= 0 that fits M (m x n) best with a given H (r x n) >= 0: the weights of new rows in a
/// model that exists already. X of the result is W, and each of its rows hangs on its row of M alone. Throws
/// InvalidInput where a loss needs what M has not: whole rows of entries, and no zeros for beta <= 0.
template <class T>
[[nodiscard]] NnlsResult<T> fit_rows(const Data<T>& data, ConstMatrixView<T> H,
                                     const FitOptions& options = {}, Interrupt interrupt = {});

/// sqrt(2 D(M | W H)) for M (m x n), W (m x r) and H (r x n), without penalties: ||M - W H||_F for frobenius.
/// Infinite where beta <= 1 and M is not zero in a column in which H is.
template <class T>
[[nodiscard]] double fit_error(const Data<T>& data, Matrix<T> W, ConstMatrixView<T> H,
                               const FitOptions& options = {}, Interrupt interrupt = {});

/// What errors are relative to: ||M||_F for frobenius, and sqrt(2 D) of the best model of rank one for other
/// losses.
template <class T>
[[nodiscard]] double reference_error(const Data<T>& data, const FitOptions& options = {},
                                     Interrupt interrupt = {});

extern template double fit_error(const Data<float>&, Matrix<float>, ConstMatrixView<float>, const FitOptions&,
                                 Interrupt);
extern template double fit_error(const Data<double>&, Matrix<double>, ConstMatrixView<double>,
                                 const FitOptions&, Interrupt);
extern template double reference_error(const Data<float>&, const FitOptions&, Interrupt);
extern template double reference_error(const Data<double>&, const FitOptions&, Interrupt);
extern template NnlsResult<float> fit_rows(const Data<float>&, ConstMatrixView<float>, const FitOptions&,
                                           Interrupt);
extern template NnlsResult<double> fit_rows(const Data<double>&, ConstMatrixView<double>, const FitOptions&,
                                            Interrupt);

}  // namespace anmf
