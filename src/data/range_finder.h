// SPDX-License-Identifier: MIT
// An orthonormal basis Q of l columns of what M (m x n) does most: a randomised range finder with power
// iterations (Halko, Martinsson and Tropp 2011). It needs M through its products only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <type_traits>

#include "anmf/data.h"
#include "core/workers.h"

namespace anmf {

struct RangeSearch {
  Index width = 0;  ///< l, at least 1; Q has at most this, min(m, n) and rank(M) columns
  int max_power_iterations = 0;
  /// Iterations end early when half of one brings the projection closer to M by less than this share.
  std::optional<double> small_gain;
  std::uint64_t seed = 0;
  std::uint64_t stream = 0;
  /// Asked between products with M, by all workers alike; true ends the search without a result.
  std::function<bool()> give_up;
};

template <class T>
struct Range {
  Side side = Side::W;  ///< the short side of M, where Q belongs: M ~ Q B' for W, M ~ B Q' for H
  Matrix<T> Q;          ///< m x l or n x l, orthonormal columns
  Matrix<T> B;          ///< M'Q (n x l) or M Q (m x l)
  int power_iterations = 0;
  bool given_up = false;  ///< then Q and B are not there
};

/// The same bits for every size of the pool. Workers get their rows of Q and B. The squares of M must not
/// leave the range of T.
template <class T>
[[nodiscard]] Range<T> find_range(const Data<T>& M, const RangeSearch& how, const Workers& workers);

/// The most that find_range() has in memory at a time, its result included.
template <class T>
[[nodiscard]] double range_bytes(Index rows, Index cols, Index width);

/// The product that updates `side`: M X (m x l) or M' X (n x l), or the rows of it that are here.
template <class T>
[[nodiscard]] Matrix<T> product_with(const Data<T>& M, Side side, const Matrix<T>& X, ThreadPool& pool) {
  Matrix<T> result(M.owned(side).count, X.cols());
  if (X.cols() > 0) M.cross(side, X.view(), result.view(), pool);
  return result;
}

template <class To, class From>
[[nodiscard]] Matrix<To> converted(Matrix<From> X) {
  if constexpr (std::is_same_v<To, From>) {
    return X;
  } else {
    Matrix<To> result(X.rows(), X.cols());
    std::transform(X.values().begin(), X.values().end(), result.values().begin(),
                   [](From x) { return static_cast<To>(x); });
    return result;
  }
}

}  // namespace anmf
