// SPDX-License-Identifier: MIT
#include "init/truncated_svd.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/lapack.h"
#include "core/random.h"
#include "data/range_finder.h"
#include "kernels/orthonormal.h"
#include "kernels/tall_products.h"

namespace anmf {
namespace {

constexpr Index kOversampling = 10;
constexpr int kPowerIterations = 7;
// Below these sizes all singular triplets cost no more than the leading ones of a large matrix.
constexpr Index kSmallSide = 400;
constexpr Index kSmallMatrix = 1'000'000;  // entries

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Eigen::Map<const RowMajor> map_of(const Matrix<double>& X) { return {X.data(), X.rows(), X.cols()}; }

/// The short side's vectors and the long side's, as U and V or the other way round.
TruncatedSvd by_side(Side short_side, Eigen::MatrixXd short_vectors, Eigen::VectorXd s,
                     Eigen::MatrixXd long_vectors) {
  if (short_side == Side::H) std::swap(short_vectors, long_vectors);
  return {.U = std::move(short_vectors), .s = std::move(s), .V = std::move(long_vectors)};
}

/// X S for a tall X and a small S.
Eigen::MatrixXd tall_product(const Matrix<double>& X, const RowMajor& S, ThreadPool& pool) {
  Matrix<double> result(X.rows(), S.cols());
  multiply_small<double>(X.view(), {S.data(), S.rows(), S.cols()}, result.view(), pool);
  return map_of(result);
}

/// A (N x k, the long side first) is M or M' itself, from its product with the identity: A = Q R, and the
/// triplets of R (k x k) are those of A.
template <class T>
TruncatedSvd exact(const Data<T>& M, Index rank, ThreadPool& pool) {
  const Side short_side = M.rows() <= M.cols() ? Side::W : Side::H;
  const Index k = std::min(M.rows(), M.cols());
  Matrix<T> identity(k, k);
  for (Index p = 0; p < k; ++p) identity(p, p) = T{1};
  const Matrix<double> A = converted<double>(product_with(M, other(short_side), identity, pool));
  const lapack::Qr qr(map_of(A));
  pool.look();
  const lapack::Svd svd = lapack::svd(qr.R());
  pool.look();
  Eigen::MatrixXd long_vectors = Eigen::MatrixXd::Zero(A.rows(), rank);
  long_vectors.topRows(k) = svd.U.leftCols(rank);
  return by_side(short_side, svd.V.leftCols(rank), svd.s.head(rank), qr.q_times(std::move(long_vectors)));
}

/// With an orthonormal basis Q of the short side, M ~ Q B' (or its transpose), B = P S for an orthonormal
/// P, and the triplets of S (at most l x l) are those of Q B'.
template <class T>
TruncatedSvd randomised(const Data<T>& M, Index rank, std::uint64_t seed, ThreadPool& pool) {
  Range<T> range = find_range<T>(M,
                                 {.width = rank + kOversampling,
                                  .max_power_iterations = kPowerIterations,
                                  .seed = seed,
                                  .stream = streams::kSingularVectors},
                                 Workers{pool});
  const Matrix<double> Q = converted<double>(std::move(range.Q));
  const Matrix<double> B = converted<double>(std::move(range.B));
  const Matrix<double> P = orthonormal(B, Workers{pool});
  const Matrix<double> S = transposed_product<double>(P.view(), B.view(), pool);
  const lapack::Svd svd = lapack::svd(map_of(S));
  const Index kept = std::min<Index>(rank, svd.s.size());
  return by_side(range.side, tall_product(Q, svd.V.leftCols(kept), pool), svd.s.head(kept),
                 tall_product(P, svd.U.leftCols(kept), pool));
}

/// Whether all triplets are computed, of which the leading ones are kept.
bool takes_all(Index rows, Index cols, Index rank) {
  const Index short_side = std::min(rows, cols);
  const Index long_side = std::max(rows, cols);
  const bool small = short_side <= kSmallSide && long_side <= kSmallMatrix / short_side;
  return small || (short_side <= rank + kOversampling && long_side <= std::numeric_limits<int>::max());
}

}  // namespace

template <class T>
TruncatedSvd truncated_svd(const Data<T>& M, Index rank, std::uint64_t seed, ThreadPool& pool) {
  if (M.norm() == 0) return {.U = Eigen::MatrixXd(M.rows(), 0), .V = Eigen::MatrixXd(M.cols(), 0)};
  return takes_all(M.rows(), M.cols(), rank) ? exact(M, rank, pool) : randomised(M, rank, seed, pool);
}

template <class T>
double svd_bytes(Index rows, Index cols, Index rank) {
  const auto near = static_cast<double>(std::min(rows, cols));
  const auto far = static_cast<double>(std::max(rows, cols));
  const auto r = static_cast<double>(rank);
  if (takes_all(rows, cols, rank)) {
    // A with its copy in T, the reflections that make it triangular, and the vectors; the short side squared
    // in the decomposition.
    return sizeof(double) * (far * (2 * near + 2 * r) + 10 * near * near) + sizeof(T) * far * near;
  }
  const double l = r + static_cast<double>(kOversampling);
  // Q and B; P and what it is made from, or both sets of vectors, of which one is copied.
  const double vectors = far * (2 * l + std::max(l, 2 * r)) + near * (l + 2 * r);
  return std::max(range_bytes<T>(rows, cols, rank + kOversampling), sizeof(double) * vectors);
}

template double svd_bytes<float>(Index, Index, Index);
template double svd_bytes<double>(Index, Index, Index);
template TruncatedSvd truncated_svd(const Data<float>&, Index, std::uint64_t, ThreadPool&);
template TruncatedSvd truncated_svd(const Data<double>&, Index, std::uint64_t, ThreadPool&);

}  // namespace anmf
