// SPDX-License-Identifier: MIT
// What the fits by least squares have in common: the half problem of a side, and the words for a value.
#pragma once

#include <cmath>
#include <utility>
#include <vector>

#include "kernels/half_step.h"
#include "loss/fit_term.h"

namespace anmf {

/// Keeps what the half problem of a side is made of, for as long as its views are needed.
template <class T>
class QuadraticHalf {
 public:
  /// G = `gram` + l2 I, C = `cross`, l = l1.
  [[nodiscard]] HalfStep<T> of(const Matrix<double>& gram, ConstMatrixView<T> cross, const Penalty& penalty,
                               const Workers& workers) {
    gram_ = Matrix<T>(gram.rows(), gram.cols());
    for (Index p = 0; p < gram.rows(); ++p) {
      for (Index q = 0; q < gram.cols(); ++q) {
        gram_(p, q) = static_cast<T>(gram(p, q) + (p == q ? penalty.l2 : 0.0));
      }
    }
    linear_.assign(static_cast<std::size_t>(gram.rows()), static_cast<T>(penalty.l1));
    return {.gram = std::as_const(gram_).view(), .cross = cross, .linear = linear_, .workers = workers};
  }

 private:
  Matrix<T> gram_;
  std::vector<T> linear_;
};

/// `squared_norm` is that of M, and `scale` what it was divided by.
[[nodiscard]] inline Reported reported_squares(const Value& value, double squared_norm, double scale) {
  const double error = std::sqrt(2 * value.loss);
  const double norm = std::sqrt(squared_norm);
  return {.error = error * scale,
          .relative_error = norm > 0 ? error / norm : 0,
          .penalty = value.penalty * scale * scale};
}

}  // namespace anmf
