// SPDX-License-Identifier: MIT
// Nonnegative least squares from end to end: checks, Gram matrix and products, block principal pivoting and
// the certificate. Rows of other losses go on in fit/entry_losses.h.
#include "anmf/nnls.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "anmf/options.h"
#include "core/blas.h"
#include "core/chunks.h"
#include "data/dense_product.h"
#include "data/scale.h"
#include "data/scaled_problem.h"
#include "fit/entry_losses.h"
#include "fit/observed_rows.h"
#include "kernels/gram.h"
#include "kernels/nnls_rows.h"
#include "kernels/panels.h"
#include "kernels/squared_error.h"
#include "validate/entries.h"
#include "validate/memory.h"
#include "validate/options.h"

namespace anmf {
namespace {

void check_finite(std::string_view name, ConstMatrixView<double> A) {
  for (Index i = 0; i < A.rows; ++i) {
    for (Index j = 0; j < A.cols; ++j) {
      if (std::isfinite(A(i, j))) continue;
      throw InvalidInput(fmt::format(
          "{}[{}, {}] = {} (row and column counted from 0); entries must be finite.", name, i, j, A(i, j)));
    }
  }
}

void check_weight(std::string_view name, double value, double high) {
  if (value >= 0 && value <= high && std::isfinite(value)) return;
  throw InvalidInput(std::isfinite(high) ? fmt::format("{} = {}; it must lie in [0, {}].", name, value, high)
                                         : fmt::format("{} = {}; it must be finite and >= 0.", name, value));
}

template <class T>
double largest_entry(const Matrix<T>& X) {
  double largest = 0;
  for (const T x : X.values()) largest = std::max(largest, static_cast<double>(x));
  return largest;
}

/// R = A X - B with X given by the rows of Xt (k x r).
Matrix<double> residual(ConstMatrixView<double> A, ConstMatrixView<double> Xt, ConstMatrixView<double> B,
                        ThreadPool& pool) {
  Matrix<double> R(B.rows, B.cols);
  const Chunks chunks = row_chunks(B.rows);
  const double flops = 2.0 * static_cast<double>(R.size()) * static_cast<double>(A.cols);
  pool.for_each_chunk(chunks.count(), flops, [&](Index chunk) {
    const Index begin = chunks.begin(chunk);
    const Index end = chunks.end(chunk);
    for (Index i = begin; i < end; ++i) std::copy_n(B.row(i), B.cols, R.view().row(i));
    blas::gemm<double>(blas::Op::none, blas::Op::transpose, 1.0, A.middle_rows(begin, end), Xt, -1.0,
                       R.view().middle_rows(begin, end));
  });
  return R;
}

/// g = X G - C + l1, the gradient at X, in double.
template <class T>
Matrix<double> gradient(ConstMatrixView<double> G, ConstMatrixView<T> C, double l1, ConstMatrixView<T> X,
                        ThreadPool& pool) {
  Matrix<double> g(X.rows, X.cols);
  const Chunks chunks = row_chunks(X.rows);
  pool.for_each_chunk(chunks.count(), 2.0 * static_cast<double>(X.rows * X.cols * X.cols), [&](Index chunk) {
    for (Index i = chunks.begin(chunk); i < chunks.end(chunk); ++i) {
      for (Index p = 0; p < X.cols; ++p) {
        double sum = l1 - static_cast<double>(C(i, p));
        for (Index q = 0; q < X.cols; ++q) sum += static_cast<double>(X(i, q)) * G(q, p);
        g(i, p) = sum;
      }
    }
  });
  return g;
}

}  // namespace

NnlsResult<double> nnls(ConstMatrixView<double> A, ConstMatrixView<double> B, int threads,
                        Interrupt interrupt) {
  validate::shape("A", A.rows, A.cols);
  validate::shape("B", B.rows, B.cols);
  if (A.rows != B.rows) {
    throw InvalidInput(fmt::format("A is {} x {} and B is {} x {}; they must have as many rows.", A.rows,
                                   A.cols, B.rows, B.cols));
  }
  validate::threads(threads);
  check_finite("A", A);
  check_finite("B", B);
  validate::memory(fmt::format("The normal equations in {} unknowns", A.cols), validate::two_grams(A.cols),
                   "A must have fewer columns");
  ThreadPool pool(threads, std::move(interrupt));
  const Workers workers{pool};
  const Matrix<double> G = gram<double>(A, workers);
  Matrix<double> C(B.cols, A.cols);  // B' A
  dense_product(Side::H, B, A, C.view(), pool);
  Matrix<double> Xt(B.cols, A.cols);
  const NnlsSolver solver(G.view(), kTinyDiagonal<double>);
  solve_rows<double>(solver, std::as_const(C).view(), {}, Xt.view(), workers);

  // The gradient is taken from the residual itself, not from the normal equations that were solved.
  const Matrix<double> R = residual(A, std::as_const(Xt).view(), B, pool);
  Matrix<double> g(B.cols, A.cols);
  dense_product(Side::H, R.view(), A, g.view(), pool);
  const double kkt = kkt_residual<double>(G.view(), std::as_const(C).view(), std::as_const(g).view(),
                                          std::as_const(Xt).view());
  return {.X = transposed(Xt), .kkt = kkt};
}

template <class T>
NnlsResult<T> fit_rows(const Data<T>& data, ConstMatrixView<T> H, const FitOptions& options,
                       Interrupt interrupt) {
  validate::shape("H", H.rows, H.cols);
  if (H.cols != data.cols()) {
    throw InvalidInput(fmt::format("H is {} x {} and M is {} x {}; they must have as many columns.", H.rows,
                                   H.cols, data.rows(), data.cols()));
  }
  validate::entries("H", H);
  validate::threads(options.threads);
  check_weight("alpha_W", options.alpha_W, std::numeric_limits<double>::infinity());
  check_weight("l1_ratio", options.l1_ratio, 1);
  const double beta = beta_of(options.loss);
  if (beta != 2) check_loss(data, beta);

  validate::memory(fmt::format("The normal equations for {} components", H.rows), validate::two_grams(H.rows),
                   "choose fewer components");
  ThreadPool pool(options.threads, std::move(interrupt));
  if (beta != 2) return fit_entry_rows(data, H, options, pool);
  const Workers workers{pool};
  if (rows_differ(data)) return fit_observed_rows(data, H, options, workers);
  // Squares must stay in range: M / a is fitted by H / b, which gives W b / a. Exact, a and b are powers of
  // four.
  Matrix<T> Ht = transposed(H);
  const ScaledProblem<T> problem(data);
  const double a = problem.scale();
  const double b = safe_scale<T>(largest_entry(Ht));
  multiply(Ht, 1 / b);
  const double weight = options.alpha_W * static_cast<double>(data.cols());
  const double l1 = weight * options.l1_ratio / a / b;

  Matrix<double> G = gram<T>(std::as_const(Ht).view(), workers);
  for (Index p = 0; p < G.rows(); ++p) G(p, p) += weight * (1 - options.l1_ratio) / b / b;
  Matrix<T> C(data.rows(), H.rows);
  problem.data().cross(Side::W, std::as_const(Ht).view(), C.view(), pool);
  NnlsResult<T> result{.X = Matrix<T>(data.rows(), H.rows)};
  const NnlsSolver solver(G.view(), kTinyDiagonal<T>);
  const std::vector<double> linear(static_cast<std::size_t>(H.rows), l1);
  solve_rows<T>(solver, std::as_const(C).view(), linear, result.X.view(), workers);
  const ConstMatrixView<T> W = std::as_const(result.X).view();
  const Matrix<double> g = gradient<T>(std::as_const(G).view(), std::as_const(C).view(), l1, W, pool);
  result.kkt = kkt_residual<T>(std::as_const(G).view(), std::as_const(C).view(), g.view(), W);
  multiply(result.X, a / b);
  return result;
}

/// Made on M / scale and W / scale, whose squares stay in the range of the number type.
template <class T>
double fit_error(const Data<T>& data, Matrix<T> W, ConstMatrixView<T> H, const FitOptions& options,
                 Interrupt interrupt) {
  validate::threads(options.threads);
  const double beta = beta_of(options.loss);
  if (beta != 2) check_loss(data, beta);
  ThreadPool pool(options.threads, std::move(interrupt));
  const Workers workers{pool};
  // Products know nothing of weights.
  if (beta != 2 || kind_of(data).weighted) return entry_error(data, std::move(W), H, beta, workers);
  const ScaledProblem<T> scaled(data);
  const Data<T>& problem = scaled.data();
  scaled.scale_down(W, ScaledProblem<T>::Share::all);
  const ConstMatrixView<T> weights = std::as_const(W).view();
  const Matrix<T> Ht = transposed(H);
  Matrix<T> C(W.rows(), W.cols());
  problem.cross(Side::W, Ht.view(), C.view(), pool);
  const ErrorTerms terms = {.squared_norm = problem.norm() * problem.norm(),
                            .overlap = inner_product<T>(std::as_const(C).view(), weights, workers),
                            .square = inner_product(gram<T>(Ht.view(), workers), gram<T>(weights, workers))};
  return scaled.scale() * std::sqrt(squared_error(problem, terms, weights, Ht.view(), pool).value);
}

template <class T>
double reference_error(const Data<T>& data, const FitOptions& options, Interrupt interrupt) {
  validate::threads(options.threads);
  const double beta = beta_of(options.loss);
  if (beta == 2) return data.norm();
  check_loss(data, beta);
  ThreadPool pool(options.threads, std::move(interrupt));
  return entry_reference(data, beta, Workers{pool});
}

template double fit_error(const Data<float>&, Matrix<float>, ConstMatrixView<float>, const FitOptions&,
                          Interrupt);
template double fit_error(const Data<double>&, Matrix<double>, ConstMatrixView<double>, const FitOptions&,
                          Interrupt);
template double reference_error(const Data<float>&, const FitOptions&, Interrupt);
template double reference_error(const Data<double>&, const FitOptions&, Interrupt);
template NnlsResult<float> fit_rows(const Data<float>&, ConstMatrixView<float>, const FitOptions&, Interrupt);
template NnlsResult<double> fit_rows(const Data<double>&, ConstMatrixView<double>, const FitOptions&,
                                     Interrupt);

}  // namespace anmf
