// SPDX-License-Identifier: MIT
// ||M - M_r||^2 = ||M||^2 - s_1^2 - ... - s_r^2 with the singular values of M (m x n) by block Lanczos
// iteration.
//
// With A = M or M', the short side first, and blocks of orthonormal columns Q = (Q_1 ... Q_k):
//   B_k = A'Q_k,  A B_k = Q (Q'A B_k) + rest,  Q_(k+1) = a basis of the rest
// so that T = Q'AA'Q is block tridiagonal. Eigenvalues of T are squares of singular values from below, and
// after the product A B_k also those of A in the span of A'Q,
//   (A A'Q)'(A A'Q) = T^2 + E rest'rest E'  relative to  (A'Q)'(A'Q) = T,
// E being the last columns of the identity: every single product with M brings a closer value.
#include "fit/best_rank.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "anmf/error.h"
#include "anmf/fit_quality.h"
#include "core/drawn_matrix.h"
#include "core/lapack.h"
#include "core/random.h"
#include "core/sums.h"
#include "data/range_finder.h"
#include "data/scaled_problem.h"
#include "kernels/gram.h"
#include "kernels/orthonormal.h"
#include "kernels/tall_products.h"
#include "validate/entries.h"
#include "validate/options.h"

namespace anmf {
namespace {

constexpr Index kBoundOversampling = 5;  // of a start that knows nothing
constexpr int kBoundProducts = 10;       // at most
constexpr int kBoundUsualProducts = 7;   // where a factorization is the start, five to eight
// What may be missing of the relative error, as far as the gains foretell, which shrink no faster than this.
constexpr double kBoundClose = 5e-5;
constexpr double kBoundLeastRatio = 0.4;
// Beside the factor of a factorization, in which a direction may be missing.
constexpr double kBoundNoise = 0.1;
constexpr double kBoundNothing = 1e-12;

constexpr double kPackedRows = 1024;  // of a tall factor, by one thread, and what its allocator keeps

double norm_of(const Matrix<double>& X) { return std::sqrt(dot(X.size(), X.data(), X.data())); }

template <class T>
Side near_side(const Data<T>& M) {
  return M.rows() <= M.cols() ? Side::W : Side::H;
}

template <class T>
class Lanczos {
 public:
  /// The start spans the first block.
  Lanczos(const Data<T>& M, Matrix<double> start, ThreadPool& pool)
      : M_(M), near_(near_side(M)), pool_(pool) {
    Matrix<double> basis = orthonormal(start, Workers{pool_});
    start = {};
    append(std::move(basis), {});
  }

  /// One more product with M; false if A A' has nothing left.
  bool advance() {
    if (rest_) {
      Matrix<double> next = orthonormal(*rest_, Workers{pool_});
      if (next.cols() == 0) return false;
      const Matrix<double> coupling = transposed_product<double>(next.view(), rest_->view(), pool_);
      rest_.reset();
      append(std::move(next), coupling);
      return true;
    }
    rest_ = converted<double>(product_with(M_, near_, B_, pool_));
    const double before = norm_of(*rest_);
    remove_known(*rest_);
    // Twice where little is left, which then holds rounding of what was removed.
    if (norm_of(*rest_) < 1e-2 * before) remove_known(*rest_);
    return norm_of(*rest_) > kBoundNothing * M_.norm() * M_.norm();
  }

  /// The sum of the `count` largest squares of singular values that can be told from the products so far.
  [[nodiscard]] double largest_sum(Index count) const {
    const Eigen::VectorXd values = rest_ ? values_beyond(*rest_) : lapack::symmetric_eigenvalues(T_);
    return values.tail(std::min<Index>(count, values.size())).sum();
  }

 private:
  void append(Matrix<double> block, const Matrix<double>& coupling) {
    B_ = {};  // before there is another one: it may be what takes most of the memory
    B_ = product_with(M_, other(near_), converted<T>(block), pool_);
    const Matrix<double> diagonal = gram<T>(B_.view(), Workers{pool_});
    const Index before = T_.rows();
    const Index width = block.cols();
    T_.conservativeResize(before + width, before + width);
    T_.rightCols(width).setZero();
    T_.bottomRows(width).setZero();
    for (Index i = 0; i < width; ++i) {
      for (Index j = 0; j < width; ++j) T_(before + i, before + j) = diagonal(i, j);
      for (Index j = 0; j < coupling.cols(); ++j) {
        const Index at = before - coupling.cols() + j;
        T_(before + i, at) = T_(at, before + i) = coupling(i, j);
      }
    }
    Q_.push_back(std::move(block));
  }

  void remove_known(Matrix<double>& X) const {
    Matrix<double> part(X.rows(), X.cols());
    for (const Matrix<double>& Q : Q_) {
      const Matrix<double> known = transposed_product<double>(Q.view(), X.view(), pool_);
      multiply_small<double>(Q.view(), known.view(), part.view(), pool_);
      for (Index k = 0; k < X.size(); ++k) X.data()[k] -= part.data()[k];
    }
  }

  /// With T = V D V': the eigenvalues of D + F F', F = D^(-1/2) V'E rest'. Directions in which A is nothing
  /// but rounding are left out.
  [[nodiscard]] Eigen::VectorXd values_beyond(const Matrix<double>& rest) const {
    const auto [values, V] = lapack::symmetric_eigen(T_);
    const Index size = values.size();
    Index kept = 0;
    while (kept < size && values[size - 1 - kept] > std::numeric_limits<T>::epsilon() * values[size - 1])
      ++kept;
    const Matrix<double> squares = gram<double>(rest.view(), Workers{pool_});
    const Index width = squares.rows();
    const Eigen::Map<const Eigen::MatrixXd> G(squares.data(), width, width);
    Eigen::MatrixXd F = V.bottomRightCorner(width, kept);
    F.array().rowwise() /= values.tail(kept).transpose().array().sqrt();
    Eigen::MatrixXd all = F.transpose() * (G * F);
    all.diagonal() += values.tail(kept);
    return lapack::symmetric_eigenvalues(std::move(all));
  }

  const Data<T>& M_;
  Side near_;
  ThreadPool& pool_;
  std::vector<Matrix<double>> Q_;
  Matrix<T> B_;                         // A' Q of the last block
  std::optional<Matrix<double>> rest_;  // of A B, where that product is the last one
  Eigen::MatrixXd T_;
};

template <class T>
double least_error(const Data<T>& M, Index rank, Matrix<double> start, ThreadPool& pool) {
  Lanczos<T> lanczos(M, std::move(start), pool);
  const auto error = [&] {
    return std::sqrt(std::max(0.0, 1 - lanczos.largest_sum(rank) / (M.norm() * M.norm())));
  };
  double least = error();
  double last_gain = 0;
  for (int products = 1; products < kBoundProducts && lanczos.advance(); ++products) {
    const double gain = least - error();
    if (!(gain > 0)) break;
    least -= gain;
    // As a geometric series the gains would go on to add up to gain q / (1 - q). A gain that is much smaller
    // than the one before may be followed by one that is not.
    const double q = std::max(kBoundLeastRatio, gain / last_gain);
    if (q < 1 && gain * q / (1 - q) < kBoundClose * least) break;
    last_gain = gain;
  }
  return least;
}

/// A factor (N x r) as a start: its columns of length one, and a little of every direction.
template <class T>
Matrix<double> start_from(const Matrix<T>& factor, ThreadPool& pool) {
  const Index r = factor.cols();
  std::vector<double> squares(static_cast<std::size_t>(r), 0.0);
  for (Index i = 0; i < factor.rows(); ++i) {
    for (Index p = 0; p < r; ++p) {
      const auto x = static_cast<double>(factor(i, p));
      squares[static_cast<std::size_t>(p)] += x * x;
    }
  }
  // Numbers from [-1, 1) have the mean square 1/3.
  const double length = kBoundNoise * std::sqrt(3 / static_cast<double>(factor.rows()));
  return drawn_matrix<double>(factor.rows(), r, pool, [&](Index k) {
    const double square = squares[static_cast<std::size_t>(k % r)];
    const double known = square > 0 ? static_cast<double>(factor.data()[k]) / std::sqrt(square) : 0;
    return known + length * (2 * uniform(0, streams::kSingularVectors, k) - 1);
  });
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
  const Index width = std::min({rank + kBoundOversampling, M.rows(), M.cols()});
  Matrix<T> sketch = drawn_matrix<T>(std::max(M.rows(), M.cols()), width, pool, [](Index k) {
    return 2 * uniform(0, streams::kSingularVectors, k) - 1;
  });
  Matrix<double> start = converted<double>(product_with(M, near_side(M), sketch, pool));
  sketch = {};
  return least_error(M, rank, std::move(start), pool);
}

template <class T>
double best_rank_error(const Data<T>& data, const Result<T>& result, int threads, Interrupt interrupt) {
  const Index rank = result.W.cols();
  validate::options({.rank = rank, .threads = threads});
  validate::data(data);
  if (result.W.rows() != data.rows() || result.H.rows() != rank || result.H.cols() != data.cols()) {
    throw InvalidInput(
        fmt::format("The bound begins from factors of M ({} x {}), but W is {} x {} and H is {} x {}.",
                    data.rows(), data.cols(), result.W.rows(), rank, result.H.rows(), result.H.cols()));
  }
  if (data.norm() == 0 || rank >= std::min(data.rows(), data.cols())) return 0;
  ThreadPool pool(threads, std::move(interrupt));
  const ScaledProblem<T> problem(data);
  const Data<T>& M = problem.data();
  Matrix<double> start =
      near_side(M) == Side::W ? start_from(result.W, pool) : start_from(transposed(result.H), pool);
  return least_error(M, rank, std::move(start), pool);
}

double best_rank_flops(Index rows, Index cols, Index nonzeros, Index rank) {
  if (rank >= std::min(rows, cols)) return 0;
  return 2.0 * kBoundUsualProducts * static_cast<double>(nonzeros) * static_cast<double>(rank);
}

template <class T>
double best_rank_bytes(Index rows, Index cols, Index rank, int threads) {
  const auto near = static_cast<double>(std::min(rows, cols));
  const auto far = static_cast<double>(std::max(rows, cols));
  const auto width = static_cast<double>(std::min({rank + kBoundOversampling, rows, cols}));
  // All blocks; the rest, what it is made from, and two rounds of a basis of it. A B that was freed may stay
  // with the allocator.
  constexpr double kBlocks = (1 + kBoundProducts) / 2.0;
  const double tall = near * (sizeof(double) * (kBlocks + 4) + sizeof(T)) + 2 * far * sizeof(T);
  // T and what is made from it, and parts of small products that are added up.
  constexpr double kParts = 32;
  const double small = 4 * kBlocks * kBlocks + kParts;
  // What a thread multiplies is packed.
  const double packed = static_cast<double>(threads) * (kPackedRows + width);
  return width * (tall + sizeof(double) * (width * small + packed));
}

template double best_rank_error(const Data<float>&, Index, int, Interrupt);
template double best_rank_error(const Data<double>&, Index, int, Interrupt);
template double best_rank_error(const Data<float>&, const Result<float>&, int, Interrupt);
template double best_rank_error(const Data<double>&, const Result<double>&, int, Interrupt);
template double best_rank_bytes<float>(Index, Index, Index, int);
template double best_rank_bytes<double>(Index, Index, Index, int);

}  // namespace anmf
