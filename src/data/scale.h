// SPDX-License-Identifier: MIT
// Squares of very large or very small entries leave the range of floating point. Such a matrix is
// factorized as M / s with s a power of four: scaling M by s and each factor by sqrt(s) is then exact.
#pragma once

#include <cmath>
#include <type_traits>

#include "anmf/matrix.h"

namespace anmf {

/// The power of four nearest below `magnitude` (> 0).
[[nodiscard]] inline double power_of_four_below(double magnitude) {
  return std::ldexp(1.0, 2 * static_cast<int>(std::floor(std::ilogb(magnitude) / 2.0)));
}

/// 1 if a matrix of this norm can be used as it is, else the scale to divide it by.
template <class T>
[[nodiscard]] double safe_scale(double norm) {
  const double limit = std::is_same_v<T, float> ? 1e14 : 1e100;
  return norm == 0 || (norm <= limit && norm >= 1 / limit) ? 1.0 : power_of_four_below(norm);
}

/// sqrt(sum of x^2) of values with the given maximum, without overflow or underflow.
template <class Values>
[[nodiscard]] double scaled_norm(double max, const Values& for_each_value) {
  if (max == 0) return 0;
  const double scale = safe_scale<double>(max);
  double sum = 0;
  for_each_value([&](double x) {
    const double y = x / scale;
    sum += y * y;
  });
  return scale * std::sqrt(sum);
}

/// X = by * X.
template <class T>
void multiply(MatrixView<T> X, double by) {
  if (by == 1) return;
  for (Index i = 0; i < X.rows; ++i) {
    for (Index p = 0; p < X.cols; ++p) X(i, p) = static_cast<T>(static_cast<double>(X(i, p)) * by);
  }
}

template <class T>
void multiply(Matrix<T>& X, double by) {
  multiply(X.view(), by);
}

}  // namespace anmf
