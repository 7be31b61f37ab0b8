// SPDX-License-Identifier: MIT
// Exact draws from Poisson's and the binomial distribution, for means of any size.
#pragma once

#include <cstdint>

#include "core/random.h"

namespace anmf {

/// Uniform numbers of one place, as many as a draw there needs.
class PlaceNumbers {
 public:
  PlaceNumbers(std::uint64_t seed, std::uint64_t place) : seed_(seed), place_(place) {}

  /// In (0, 1).
  [[nodiscard]] double next();

 private:
  std::uint64_t seed_;
  std::uint64_t place_;
  std::uint64_t drawn_ = 0;
  r123::Philox2x64::ctr_type bits_ = {};
};

/// A number of Poisson's distribution with this mean, at least 0.
[[nodiscard]] double draw_poisson(double mean, PlaceNumbers& numbers);

/// How many of `count` trials, a whole number, succeed with this chance each.
[[nodiscard]] double draw_binomial(double count, double chance, PlaceNumbers& numbers);

}  // namespace anmf
