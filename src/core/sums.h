// SPDX-License-Identifier: MIT
// Sums in double over long arrays. Independent partial sums let the compiler use vector registers; the
// order of the additions is fixed, so the bits are too.
#pragma once

#include <array>
#include <cstddef>

#include "anmf/matrix.h"

namespace anmf {

/// term(0) + ... + term(count - 1).
template <class Term>
[[nodiscard]] double sum_terms(Index count, const Term& term) {
  constexpr std::size_t kLanes = 8;
  std::array<double, kLanes> lanes{};
  Index k = 0;
  for (; k + static_cast<Index>(kLanes) <= count; k += static_cast<Index>(kLanes)) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) lanes[lane] += term(k + static_cast<Index>(lane));
  }
  double tail = 0;
  for (; k < count; ++k) tail += term(k);
  return ((lanes[0] + lanes[4]) + (lanes[1] + lanes[5])) + ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7])) +
         tail;
}

/// <x, y>.
template <class T>
[[nodiscard]] double dot(Index count, const T* x, const T* y) {
  return sum_terms(count, [=](Index k) { return static_cast<double>(x[k]) * static_cast<double>(y[k]); });
}

}  // namespace anmf
