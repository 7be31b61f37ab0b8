// SPDX-License-Identifier: MIT
#include "anmf/fit_quality.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "core/blas.h"
#include "core/drawn_matrix.h"
#include "core/lapack.h"
#include "core/random.h"
#include "core/sums.h"
#include "data/compressed_data.h"
#include "data/range_finder.h"
#include "data/scaled_problem.h"
#include "kernels/gram.h"
#include "kernels/orthonormal.h"
#include "validate/entries.h"
#include "validate/options.h"

namespace anmf {
namespace {

constexpr Index kBoundOversampling = 5;
constexpr int kBoundSteps = 4;
constexpr double kBoundSmallGain = 1e-5;  // of the relative error, in one step

/// C = A' B, or C = A B.
Matrix<double> product(blas::Op op, const Matrix<double>& A, const Matrix<double>& B) {
  Matrix<double> C(op == blas::Op::none ? A.rows() : A.cols(), B.cols());
  blas::gemm<double>(op, blas::Op::none, 1.0, A.view(), B.view(), 0.0, C.view());
  return C;
}

/// Block Lanczos iteration with A A', A being M or M', the short side first. Its k blocks Q_j of orthonormal
/// columns span a Krylov space, in which T = Q' A A' Q (block tridiagonal) has eigenvalues that approach the
/// squares of the singular values of M from below, far sooner than those of a power iteration with as many
/// products.
template <class T>
class Lanczos {
 public:
  Lanczos(const Data<T>& M, Index width, ThreadPool& pool)
      : M_(M), near_(M.rows() <= M.cols() ? Side::W : Side::H), pool_(pool) {
    const Index far_rows = near_ == Side::W ? M.cols() : M.rows();
    const Matrix<T> sketch =
        drawn_matrix<T>(far_rows, std::min({width, M.rows(), M.cols()}), pool,
                        [](Index k) { return 2 * uniform(0, streams::kSingularVectors, k) - 1; });
    Q_.push_back(basis(converted<double>(product_with(M_, near_, sketch, pool_))));
    look_at_last();
  }

  /// Another block; false if A A' has nothing left.
  bool step() {
    const Matrix<double> image = converted<double>(product_with(M_, near_, B_, pool_));
    Matrix<double> rest = image;
    remove_known(rest);
    if (!(norm(rest) > 1e-12 * M_.norm() * M_.norm())) return false;
    // Twice, since what is left may be small and hold rounding of what was removed.
    Matrix<double> next = basis(rest);
    remove_known(next);
    next = basis(next);
    if (next.cols() == 0) return false;
    coupling_.push_back(product(blas::Op::transpose, next, image));
    Q_.push_back(std::move(next));
    look_at_last();
    return true;
  }

  /// The sum of the `count` largest eigenvalues of T.
  [[nodiscard]] double largest_sum(Index count) const {
    Index size = 0;
    for (const Matrix<double>& block : diagonal_) size += block.rows();
    Eigen::MatrixXd all = Eigen::MatrixXd::Zero(size, size);
    Index at = 0;
    for (std::size_t k = 0; k < diagonal_.size(); ++k) {
      const Index width = diagonal_[k].rows();
      for (Index i = 0; i < width; ++i)
        for (Index j = 0; j < width; ++j) all(at + i, at + j) = diagonal_[k](i, j);
      if (k < coupling_.size()) {
        for (Index i = 0; i < coupling_[k].rows(); ++i)
          for (Index j = 0; j < width; ++j)
            all(at + width + i, at + j) = all(at + j, at + width + i) = coupling_[k](i, j);
      }
      at += width;
    }
    const Eigen::VectorXd values = lapack::svd(std::move(all)).s;
    return values.head(std::min<Index>(count, values.size())).sum();
  }

 private:
  Matrix<double> basis(const Matrix<double>& X) { return orthonormal(X, Workers{pool_}); }

  static double norm(const Matrix<double>& X) { return std::sqrt(dot(X.size(), X.data(), X.data())); }

  void remove_known(Matrix<double>& X) const {
    for (const Matrix<double>& Q : Q_) {
      const Matrix<double> known = product(blas::Op::transpose, Q, X);
      blas::gemm<double>(blas::Op::none, blas::Op::none, -1.0, Q.view(), known.view(), 1.0, X.view());
    }
  }

  void look_at_last() {
    B_ = product_with(M_, other(near_), converted<T>(Q_.back()), pool_);
    diagonal_.push_back(gram<T>(B_.view(), Workers{pool_}));
  }

  const Data<T>& M_;
  Side near_;
  ThreadPool& pool_;
  std::vector<Matrix<double>> Q_;
  Matrix<T> B_;                           // A' Q of the last block
  std::vector<Matrix<double>> diagonal_;  // Q_k' A A' Q_k
  std::vector<Matrix<double>> coupling_;  // Q_(k+1)' A A' Q_k
};

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
double best_rank_error(const Data<T>& data, Index rank, int threads, Interrupt interrupt) {
  validate::options({.rank = rank, .threads = threads});
  validate::data(data);
  if (data.norm() == 0 || rank >= std::min(data.rows(), data.cols())) return 0;
  ThreadPool pool(threads, std::move(interrupt));
  const ScaledProblem<T> problem(data);
  const Data<T>& M = problem.data();
  Lanczos<T> lanczos(M, rank + kBoundOversampling, pool);
  const auto error = [&] {
    return std::sqrt(std::max(0.0, 1 - lanczos.largest_sum(rank) / (M.norm() * M.norm())));
  };
  double least = error();
  for (int step = 0; step < kBoundSteps && lanczos.step(); ++step) {
    const double gain = least - error();
    least -= gain;
    if (gain < kBoundSmallGain * least) break;
  }
  return least;
}

double best_rank_flops(Index rows, Index cols, Index nonzeros, Index rank) {
  if (rank >= std::min(rows, cols)) return 0;
  return compression_flops(nonzeros, rank + kBoundOversampling, kBoundSteps);
}

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
double fit_quality_bytes(Index rows, Index cols, Index rank) {
  const auto near = static_cast<double>(std::min(rows, cols));
  const auto far = static_cast<double>(std::max(rows, cols));
  const double by_line =
      (near + 2 * far) * static_cast<double>(rank) * sizeof(T) + 4 * (near + far) * sizeof(double);
  // All blocks, what the next one is made from, and the product of the last one; a narrower T has its own
  // copies.
  const auto width = static_cast<double>(rank + kBoundOversampling);
  const double lanczos =
      width * (near * sizeof(double) * (kBoundSteps + 5) + far * sizeof(T) + near * sizeof(T));
  return std::max(by_line, lanczos);
}

template double best_rank_error(const Data<float>&, Index, int, Interrupt);
template double best_rank_error(const Data<double>&, Index, int, Interrupt);
template std::optional<FitByLine> fit_by_line(const Data<float>&, const Result<float>&, int, Interrupt);
template std::optional<FitByLine> fit_by_line(const Data<double>&, const Result<double>&, int, Interrupt);
template double fit_quality_bytes<float>(Index, Index, Index);
template double fit_quality_bytes<double>(Index, Index, Index);

}  // namespace anmf
