// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <limits>

#include "anmf/consensus.h"

namespace anmf {

double sparseness(std::span<const double> x) {
  double largest = 0;
  for (const double value : x) largest = std::max(largest, std::abs(value));
  if (x.size() <= 1 || largest == 0) return std::numeric_limits<double>::quiet_NaN();
  double sum = 0;  // both relative to the largest, so that squares stay in range
  double squares = 0;
  for (const double value : x) {
    const double relative = std::abs(value) / largest;
    sum += relative;
    squares += relative * relative;
  }
  const double root = std::sqrt(static_cast<double>(x.size()));
  return std::clamp((root - sum / std::sqrt(squares)) / (root - 1), 0.0, 1.0);
}

}  // namespace anmf
