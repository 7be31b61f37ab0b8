// SPDX-License-Identifier: MIT
// Beta-divergences by their definitions, entry by entry in double.
#pragma once

#include <algorithm>
#include <cmath>

#include "anmf/matrix.h"

namespace anmf::test::by_definition {

inline double divergence(double x, double y, double b) {
  if (b == 2) return 0.5 * (x - y) * (x - y);
  if (b == 1) return (x > 0 ? x * std::log(x / y) : 0) - x + y;
  if (b == 0) return x / y - std::log(x / y) - 1;
  return ((x > 0 ? std::pow(x, b) : 0) + (b - 1) * std::pow(y, b) - b * x * std::pow(y, b - 1)) /
         (b * (b - 1));
}

/// The curvature in y of a convex function above the divergence (LOSSES: its concave part is linear).
inline double curvature(double x, double y, double b) {
  if (b < 1) return (2 - b) * x * std::pow(y, b - 3);
  if (b > 2) return (b - 1) * std::pow(y, b - 2);
  return (b - 1) * std::pow(y, b - 2) + (2 - b) * x * std::pow(y, b - 3);
}

template <class T>
double model(const Matrix<T>& W, const Matrix<T>& H, Index i, Index j) {
  double y = 0;
  for (Index p = 0; p < H.rows(); ++p) y += static_cast<double>(W(i, p)) * static_cast<double>(H(p, j));
  return y;
}

template <class T>
double divergence(const Matrix<T>& M, const Matrix<T>& W, const Matrix<T>& H, double b) {
  double sum = 0;
  for (Index i = 0; i < M.rows(); ++i) {
    for (Index j = 0; j < M.cols(); ++j) {
      sum += divergence(static_cast<double>(M(i, j)), std::max(model(W, H, i, j), 1e-300), b);
    }
  }
  return sum;
}

/// W <- W * (above / (below + l1 + l2 W))^gamma.
inline void multiplicative_update(const Matrix<double>& M, Matrix<double>& W, const Matrix<double>& H,
                                  double b, double l1, double l2) {
  const double gamma = b < 1 ? 1 / (2 - b) : b > 2 ? 1 / (b - 1) : 1;
  Matrix<double> updated = W;
  for (Index i = 0; i < W.rows(); ++i) {
    for (Index p = 0; p < W.cols(); ++p) {
      double above = 0;
      double below = 0;
      for (Index j = 0; j < M.cols(); ++j) {
        const double y = model(W, H, i, j);
        above += M(i, j) * std::pow(y, b - 2) * H(p, j);
        below += std::pow(y, b - 1) * H(p, j);
      }
      updated(i, p) = W(i, p) * std::pow(above / (below + l1 + l2 * W(i, p)), gamma);
    }
  }
  W = updated;
}

}  // namespace anmf::test::by_definition
