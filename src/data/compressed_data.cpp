// SPDX-License-Identifier: MIT
#include "data/compressed_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>
#include <vector>

#include "anmf/error.h"
#include "core/blas.h"
#include "core/chunks.h"
#include "core/random.h"
#include "kernels/gram.h"
#include "kernels/orthonormal.h"

namespace anmf {
namespace {

constexpr std::uint64_t kStream = 2;  // 0 and 1 are the start factors

// Power iterations end when half of one brings M^ closer to M by less than this share: a sketch of low rank
// plus noise has converged by then, one of a slowly decaying spectrum (faces) has not.
constexpr double kSmallGain = 0.02;

/// Uniform on [-1, 1): as good a sketch as normal numbers, and the same bits on every platform.
template <class T>
Matrix<T> random_sketch(Index rows, Index width, std::uint64_t seed, ThreadPool& pool) {
  Matrix<T> X(rows, width);
  const Chunks chunks = row_chunks(rows);
  constexpr double kFlopsPerNumber = 40;
  pool.for_each_chunk(chunks.count(), kFlopsPerNumber * static_cast<double>(X.size()), [&](Index chunk) {
    for (Index k = chunks.begin(chunk) * width; k < chunks.end(chunk) * width; ++k) {
      X.data()[k] = static_cast<T>(2 * uniform(seed, kStream, k) - 1);
    }
  });
  return X;
}

template <class To, class From>
Matrix<To> converted(Matrix<From> X) {
  if constexpr (std::is_same_v<To, From>) {
    return X;
  } else {
    Matrix<To> result(X.rows(), X.cols());
    std::transform(X.values().begin(), X.values().end(), result.values().begin(),
                   [](From x) { return static_cast<To>(x); });
    return result;
  }
}

/// The product that updates `side`: M X (m x l) or M' X (n x l).
template <class T>
Matrix<T> product(const Data<T>& M, Side side, const Matrix<T>& X, ThreadPool& pool) {
  Matrix<T> result(side == Side::W ? M.rows() : M.cols(), X.cols());
  if (X.cols() > 0) M.cross(side, X.view(), result.view(), pool);
  return result;
}

/// X' F (l x r) for tall X and F: partial products over chunks of rows, added in chunk order.
template <class T>
Matrix<T> transposed_product(const Matrix<T>& X, ConstMatrixView<T> F, ThreadPool& pool) {
  const Chunks chunks(X.rows(), 512, 32);
  std::vector<Matrix<T>> parts(static_cast<std::size_t>(chunks.count()));
  const double flops = 2.0 * static_cast<double>(X.size()) * static_cast<double>(F.cols);
  pool.for_each_chunk(chunks.count(), flops, [&](Index chunk) {
    const Index begin = chunks.begin(chunk);
    const Index end = chunks.end(chunk);
    Matrix<T>& part = parts[static_cast<std::size_t>(chunk)];
    part = Matrix<T>(X.cols(), F.cols);
    blas::gemm<T>(blas::Op::transpose, blas::Op::none, T{1}, X.view().middle_rows(begin, end),
                  F.middle_rows(begin, end), T{0}, part.view());
  });
  Matrix<T> sum(X.cols(), F.cols);
  for (const Matrix<T>& part : parts) {
    for (Index k = 0; k < sum.size(); ++k) sum.data()[k] += part.data()[k];
  }
  return sum;
}

}  // namespace

template <class T>
CompressedData<T>::CompressedData(Matrix<T> L, Matrix<T> R, double norm, double flops)
    : L_(std::move(L)), R_(std::move(R)), norm_(norm), flops_(flops) {}

template <class T>
void CompressedData<T>::cross(Side side, ConstMatrixView<T> factor, MatrixView<T> result,
                              ThreadPool& pool) const {
  const Matrix<T>& near = side == Side::W ? L_ : R_;
  const Matrix<T>& far = side == Side::W ? R_ : L_;
  const Matrix<T> small = transposed_product<T>(far, factor, pool);
  const Chunks chunks = row_chunks(near.rows());
  const double flops = 2.0 * static_cast<double>(near.size()) * static_cast<double>(factor.cols);
  pool.for_each_chunk(chunks.count(), flops, [&](Index chunk) {
    const Index begin = chunks.begin(chunk);
    const Index end = chunks.end(chunk);
    blas::gemm<T>(blas::Op::none, blas::Op::none, T{1}, near.view().middle_rows(begin, end), small.view(),
                  T{0}, result.middle_rows(begin, end));
  });
}

template <class T>
std::unique_ptr<CompressedData<T>> compress(const Data<T>& M, const Compression& how, ThreadPool& pool) {
  if (how.width < 1) throw InvalidInput(fmt::format("width = {} must be at least 1.", how.width));
  if (how.max_power_iterations < 0) {
    throw InvalidInput(
        fmt::format("max_power_iterations = {} must be at least 0.", how.max_power_iterations));
  }
  const Workers workers{pool};
  const Index width = std::min({how.width, M.rows(), M.cols()});
  const Side near = M.rows() <= M.cols() ? Side::W : Side::H;  // the short side, where Q belongs
  const Side far = other(near);
  // ||M - M^|| where M^ is M projected on a basis whose product with M is X.
  const auto distance = [&](const Matrix<T>& X) {
    return std::sqrt(std::max(0.0, M.norm() * M.norm() - inner_product<T>(X.view(), X.view(), workers)));
  };

  Matrix<T> Y = random_sketch<T>(far == Side::W ? M.rows() : M.cols(), width, how.seed, pool);
  Y = product(M, near, Y, pool);
  Matrix<T> Q = converted<T>(orthonormal(converted<double>(std::move(Y)), workers));
  Matrix<T> B = product(M, far, Q, pool);
  int power_iterations = 0;
  while (power_iterations < how.max_power_iterations) {
    ++power_iterations;
    Y = product(M, near, converted<T>(nearly_orthonormal(converted<double>(std::move(B)), workers)), pool);
    const double halfway = distance(Y);
    Q = converted<T>(orthonormal(converted<double>(std::move(Y)), workers));
    B = product(M, far, Q, pool);
    if (!(distance(B) < (1 - kSmallGain) * halfway)) break;
  }
  const double norm = std::sqrt(inner_product<T>(std::as_const(B).view(), std::as_const(B).view(), workers));
  if (near == Side::H) std::swap(Q, B);
  return std::make_unique<CompressedData<T>>(std::move(Q), std::move(B), norm,
                                             compression_flops(M.nonzeros(), width, power_iterations));
}

double compression_flops(Index K, Index width, int power_iterations) {
  return (2 + 2 * power_iterations) * 2.0 * static_cast<double>(K) * static_cast<double>(width);
}

template class CompressedData<float>;
template class CompressedData<double>;
template std::unique_ptr<CompressedData<float>> compress(const Data<float>&, const Compression&, ThreadPool&);
template std::unique_ptr<CompressedData<double>> compress(const Data<double>&, const Compression&,
                                                          ThreadPool&);

}  // namespace anmf
