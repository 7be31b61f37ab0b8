// SPDX-License-Identifier: MIT
// Spectra for tests of the page of a survey, and their distances one by one.
#pragma once

#include <cmath>

#include "survey_folder_fixture.h"

namespace anmf::test {

inline Matrix<double> drawn_spectra(Index rows, Index cols) {
  Matrix<double> spectra(rows, cols);
  for (Index e = 0; e < spectra.size(); ++e) spectra.data()[e] = drawn(1, 2, e);
  return spectra;
}

/// 1 - cosine; spectra of zeros are far from all.
inline double cosine_distance(const Matrix<double>& x, Index a, Index b) {
  double product = 0;
  double norm_a = 0;
  double norm_b = 0;
  for (Index j = 0; j < x.cols(); ++j) {
    product += x(a, j) * x(b, j);
    norm_a += x(a, j) * x(a, j);
    norm_b += x(b, j) * x(b, j);
  }
  return norm_a > 0 && norm_b > 0 ? 1 - product / std::sqrt(norm_a * norm_b) : 1;
}

}  // namespace anmf::test
