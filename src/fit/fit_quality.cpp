// SPDX-License-Identifier: MIT
#include "anmf/fit_quality.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "core/sums.h"
#include "data/range_finder.h"
#include "data/scaled_problem.h"
#include "fit/best_rank.h"
#include "kernels/gram.h"
#include "validate/options.h"

namespace anmf {
namespace {

/// w' G w.
double quadratic_form(const double* w, const Matrix<double>& G) {
  double sum = 0;
  for (Index p = 0; p < G.rows(); ++p) sum += w[p] * dot(G.cols(), &G(p, 0), w);
  return sum;
}

/// ||M_i - X_i F'||^2 = ||M_i||^2 - 2 <C_i, X_i> + X_i' F'F X_i for the rows M_i of M (or M') and C = M F.
template <class T>
LineFit line_fit(const Data<T>& M, Side side, const Matrix<T>& X, const Matrix<T>& F,
                 std::vector<double> norms, ThreadPool& pool) {
  const Matrix<T> C = product_with(M, side, F, pool);
  const Matrix<double> G = gram<T>(F.view(), Workers{pool});
  LineFit fit{.norms = std::move(norms)};
  fit.residuals.reserve(fit.norms.size());
  std::vector<double> row(static_cast<std::size_t>(X.cols()));
  for (Index i = 0; i < X.rows(); ++i) {
    std::copy(&X(i, 0), &X(i, 0) + X.cols(), row.begin());
    const double norm = fit.norms[static_cast<std::size_t>(i)];
    const double squared =
        norm * norm - 2 * dot(X.cols(), &C(i, 0), &X(i, 0)) + quadratic_form(row.data(), G);
    fit.residuals.push_back(std::sqrt(std::max(0.0, squared)));
  }
  return fit;
}

/// W diag(scale).
template <class T>
Matrix<T> scaled_W(const Result<T>& result) {
  Matrix<T> W = result.W;
  for (Index i = 0; i < W.rows(); ++i) {
    for (Index p = 0; p < W.cols(); ++p) {
      W(i, p) = static_cast<T>(static_cast<double>(W(i, p)) * result.scale[static_cast<std::size_t>(p)]);
    }
  }
  return W;
}

}  // namespace

template <class T>
std::optional<FitByLine> fit_by_line(const Data<T>& data, const Result<T>& result, int threads,
                                     Interrupt interrupt) {
  validate::options({.rank = result.W.cols(), .threads = threads});
  ThreadPool pool(threads, std::move(interrupt));
  const ScaledProblem<T> problem(data);
  const Data<T>& M = problem.data();
  auto row_norms = M.line_norms(Side::W);
  auto col_norms = row_norms ? M.line_norms(Side::H) : std::nullopt;
  if (!row_norms || !col_norms) return std::nullopt;
  Matrix<T> W = scaled_W(result);
  Matrix<T> Ht = transposed(result.H);
  using Share = typename ScaledProblem<T>::Share;
  problem.scale_down(W, Share::root);
  problem.scale_down(Ht, Share::root);
  FitByLine fit{.rows = line_fit(M, Side::W, W, Ht, std::move(*row_norms), pool),
                .columns = line_fit(M, Side::H, Ht, W, std::move(*col_norms), pool)};
  for (auto* lines : {&fit.rows, &fit.columns}) {
    for (double& norm : lines->norms) norm *= problem.scale();
    for (double& residual : lines->residuals) residual *= problem.scale();
  }
  return fit;
}

template <class T>
double fit_quality_bytes(Index rows, Index cols, Index rank, int threads) {
  const auto near = static_cast<double>(std::min(rows, cols));
  const auto far = static_cast<double>(std::max(rows, cols));
  const double by_line =
      (near + 2 * far) * static_cast<double>(rank) * sizeof(T) + 4 * (near + far) * sizeof(double);
  return std::max(by_line, best_rank_bytes<T>(rows, cols, rank, threads));
}

template std::optional<FitByLine> fit_by_line(const Data<float>&, const Result<float>&, int, Interrupt);
template std::optional<FitByLine> fit_by_line(const Data<double>&, const Result<double>&, int, Interrupt);
template double fit_quality_bytes<float>(Index, Index, Index, int);
template double fit_quality_bytes<double>(Index, Index, Index, int);

}  // namespace anmf
