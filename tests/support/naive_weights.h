// SPDX-License-Identifier: MIT
// Fits with weights by their definition: sums over all entries in double, normal equations row by row.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "anmf/matrix.h"
#include "support/naive_losses.h"

namespace anmf::test::by_definition {

/// p_ij, a_i and b_j of anmf/weights.h; a and b are empty where all are 1.
struct AllWeights {
  Matrix<double> p;
  std::vector<double> a;
  std::vector<double> b;

  [[nodiscard]] double row(Index i) const { return a.empty() ? 1 : a[static_cast<std::size_t>(i)]; }
  [[nodiscard]] double column(Index j) const { return b.empty() ? 1 : b[static_cast<std::size_t>(j)]; }
  [[nodiscard]] double of(Index i, Index j) const { return row(i) * column(j) * p(i, j); }
  [[nodiscard]] AllWeights transposed() const {
    AllWeights result{.p = Matrix<double>(p.cols(), p.rows()), .a = b, .b = a};
    for (Index i = 0; i < p.rows(); ++i) {
      for (Index j = 0; j < p.cols(); ++j) result.p(j, i) = p(i, j);
    }
    return result;
  }
};

/// The loss alone.
inline double weighted_loss(const Matrix<double>& M, const AllWeights& weights, const Matrix<double>& W,
                            const Matrix<double>& H, double b) {
  double sum = 0;
  for (Index i = 0; i < M.rows(); ++i) {
    for (Index j = 0; j < M.cols(); ++j) {
      if (weights.of(i, j) > 0)
        sum += weights.of(i, j) * divergence(M(i, j), std::max(model(W, H, i, j), 1e-300), b);
    }
  }
  return sum;
}

/// Penalties of the rows of a factor, as often as they count.
inline double weighted_penalty(const Matrix<double>& X, const std::vector<double>& counts, double l1,
                               double l2) {
  double sum = 0;
  for (Index i = 0; i < X.rows(); ++i) {
    const double count = counts.empty() ? 1 : counts[static_cast<std::size_t>(i)];
    for (Index p = 0; p < X.cols(); ++p) sum += count * (l1 * X(i, p) + 0.5 * l2 * X(i, p) * X(i, p));
  }
  return sum;
}

/// One sweep of HALS over every row of W, on normal equations of its own.
inline void weighted_hals_sweep(const Matrix<double>& M, const AllWeights& weights, Matrix<double>& W,
                                const Matrix<double>& H, double l1, double l2) {
  const Index r = H.rows();
  for (Index i = 0; i < M.rows(); ++i) {
    for (Index p = 0; p < r; ++p) {
      double slope = -l1 - l2 * W(i, p);
      double bend = l2;
      for (Index j = 0; j < M.cols(); ++j) {
        const double weight = weights.column(j) * weights.p(i, j);
        slope += weight * (M(i, j) - model(W, H, i, j)) * H(p, j);
        bend += weight * H(p, j) * H(p, j);
      }
      if (bend > 0) {
        W(i, p) = std::max(0.0, W(i, p) + slope / bend);
      } else if (slope <= 0) {
        W(i, p) = 0;
      }
    }
  }
}

/// One sweep of HALS over W on the model that fills in what is missing (p = 0) as it is before the sweep; all
/// other p are 1.
inline void filled_in_hals_sweep(const Matrix<double>& M, const AllWeights& weights, Matrix<double>& W,
                                 const Matrix<double>& H, double l1, double l2) {
  Matrix<double> filled = M;
  for (Index i = 0; i < M.rows(); ++i) {
    for (Index j = 0; j < M.cols(); ++j) {
      if (weights.p(i, j) == 0) filled(i, j) = model(W, H, i, j);
    }
  }
  AllWeights complete = weights;
  complete.p = Matrix<double>(M.rows(), M.cols(), 1);
  weighted_hals_sweep(filled, complete, W, H, l1, l2);
}

/// multiplicative_update() with weights.
inline void weighted_multiplicative_update(const Matrix<double>& M, const AllWeights& weights,
                                           Matrix<double>& W, const Matrix<double>& H, double b, double l1,
                                           double l2) {
  const double gamma = b < 1 ? 1 / (2 - b) : b > 2 ? 1 / (b - 1) : 1;
  Matrix<double> updated = W;
  for (Index i = 0; i < W.rows(); ++i) {
    for (Index p = 0; p < W.cols(); ++p) {
      double above = 0;
      double below = 0;
      for (Index j = 0; j < M.cols(); ++j) {
        const double weight = weights.column(j) * weights.p(i, j);
        if (weight == 0) continue;
        const double y = model(W, H, i, j);
        above += weight * M(i, j) * std::pow(y, b - 2) * H(p, j);
        below += weight * std::pow(y, b - 1) * H(p, j);
      }
      updated(i, p) =
          below + l1 + l2 * W(i, p) > 0 ? W(i, p) * std::pow(above / (below + l1 + l2 * W(i, p)), gamma) : 0;
    }
  }
  W = updated;
}

}  // namespace anmf::test::by_definition
