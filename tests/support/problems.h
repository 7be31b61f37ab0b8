// SPDX-License-Identifier: MIT
// Test problems: random, planted and sparse matrices, and the way from the library's types to the oracle's.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "anmf/anmf.h"
#include "core/random.h"
#include "support/naive_nmf.h"

namespace anmf::test {

/// How many of `count` problems of one kind are tried: all of them, or a few where a sanitizer makes each
/// take ten times as long. It looks at accesses, which are the same in all; numbers are looked at in the
/// release.
constexpr Index sampled(Index count) {
#ifdef ANMF_SAMPLE_SLOW_TESTS
  return std::min<Index>(count, std::max<Index>(2, count / 10));
#else
  return count;
#endif
}

/// Uniform on [0, 1), a fraction `zeros` of the entries replaced by 0.
template <class T = double>
Matrix<T> random_matrix(Index rows, Index cols, std::uint64_t seed, double zeros = 0) {
  Matrix<T> result(rows, cols);
  for (Index k = 0; k < rows * cols; ++k) {
    const bool keep = zeros == 0 || uniform(seed, 1000, k) >= zeros;
    result.data()[k] = keep ? static_cast<T>(uniform(seed, 1001, k)) : T{0};
  }
  return result;
}

template <class T>
Matrix<T> product(const Matrix<T>& A, const Matrix<T>& B) {
  Matrix<T> result(A.rows(), B.cols());
  for (Index i = 0; i < A.rows(); ++i) {
    for (Index k = 0; k < A.cols(); ++k) {
      for (Index j = 0; j < B.cols(); ++j) result(i, j) += A(i, k) * B(k, j);
    }
  }
  return result;
}

/// The linear term of a half-step: l1 for the first column, a little more for every next one.
template <class T = double>
std::vector<T> rising(Index r, double l1) {
  std::vector<T> result;
  for (Index p = 0; p < r; ++p) result.push_back(static_cast<T>(l1 * (1 + 0.125 * static_cast<double>(p))));
  return result;
}

/// W H with sparse nonnegative factors of rank r plus uniform noise.
template <class T = double>
Matrix<T> planted(Index rows, Index cols, Index rank, std::uint64_t seed, double noise) {
  Matrix<T> result =
      product(random_matrix<T>(rows, rank, seed, 0.5), random_matrix<T>(rank, cols, seed + 1, 0.5));
  for (Index k = 0; k < result.size(); ++k)
    result.data()[k] += static_cast<T>(noise * uniform(seed, 1002, k));
  return result;
}

/// The same matrix in sparse storage; zeros are left out.
template <class T>
std::unique_ptr<SparseData<T>> to_sparse(const Matrix<T>& M) {
  std::vector<Index> rows, cols;
  std::vector<T> values;
  for (Index i = 0; i < M.rows(); ++i) {
    for (Index j = 0; j < M.cols(); ++j) {
      if (M(i, j) == T{0}) continue;
      rows.push_back(i);
      cols.push_back(j);
      values.push_back(M(i, j));
    }
  }
  return SparseData<T>::from_triplets(M.rows(), M.cols(), rows, cols, values);
}

/// The product that updates `side`; what it does not write is -1.
template <class T>
Matrix<T> cross_of(const Data<T>& data, Side side, const Matrix<T>& factor, int threads = 1) {
  ThreadPool pool(threads);
  Matrix<T> result(side == Side::W ? data.rows() : data.cols(), factor.cols(), T{-1});
  data.cross(side, factor.view(), result.view(), pool);
  return result;
}

template <class T>
naive::Mat to_naive(const Matrix<T>& M) {
  return {M.rows(), M.cols(), std::vector<double>(M.values().begin(), M.values().end())};
}

/// ||M - W diag(scale) H||_F, entry by entry in double.
template <class T>
double direct_error(const Matrix<T>& M, const Result<T>& result) {
  double sum = 0;
  for (Index i = 0; i < M.rows(); ++i) {
    for (Index j = 0; j < M.cols(); ++j) {
      auto residual = static_cast<double>(M(i, j));
      for (Index p = 0; p < result.W.cols(); ++p) {
        residual -= static_cast<double>(result.W(i, p)) * result.scale[static_cast<std::size_t>(p)] *
                    static_cast<double>(result.H(p, j));
      }
      sum += residual * residual;
    }
  }
  return std::sqrt(sum);
}

template <class T>
double frobenius(const Matrix<T>& M) {
  double sum = 0;
  for (const T x : M.values()) sum += static_cast<double>(x) * static_cast<double>(x);
  return std::sqrt(sum);
}

template <class T>
double max_difference(const Matrix<T>& A, const Matrix<T>& B) {
  if (A.rows() != B.rows() || A.cols() != B.cols()) return HUGE_VAL;
  double max = 0;
  for (Index k = 0; k < A.size(); ++k) {
    const double d = std::abs(static_cast<double>(A.data()[k]) - static_cast<double>(B.data()[k]));
    if (!(d <= max)) max = d;  // NaN counts as different
  }
  return max;
}

template <class T>
double max_entry(const Matrix<T>& A) {
  double max = 0;
  for (const T x : A.values()) max = std::max(max, static_cast<double>(x));
  return max;
}

template <class T>
bool finite_and_nonnegative(const Matrix<T>& A) {
  for (const T x : A.values()) {
    if (!(x >= T{0}) || !std::isfinite(x)) return false;
  }
  return true;
}

template <class T>
Result<T> factorize_dense(const Matrix<T>& M, const Options& options, const Start<T>& start = {}) {
  const DenseData<T> data(M.view());
  return factorize<T>(data, options, start);
}

/// The methods that can minimise a loss; the default is least squares.
inline std::vector<std::string> method_names(double beta = 2) {
  std::vector<std::string> names;
  for (const Method& method : methods()) {
    if (minimises(method, beta)) names.emplace_back(method.name);
  }
  return names;
}

/// A loss that the method can minimise.
inline std::string loss_for(const Method& method) { return loss_name(minimises(method, 2) ? 2 : 1); }

/// A method's name as part of a test's name, where '-' is not allowed.
inline std::string identifier(std::string name) {
  for (char& c : name) {
    if (c == '-') c = '_';
  }
  return name;
}

}  // namespace anmf::test
