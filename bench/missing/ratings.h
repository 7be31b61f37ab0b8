// SPDX-License-Identifier: MIT
// Ratings like those of MovieLens: few users give many of them and few things get many, 1 to 5 in whole
// numbers, from a planted model of rank 10 with noise.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "anmf/entries.h"
#include "core/random.h"

namespace anmf::bench {

inline double normal(std::uint64_t seed, std::uint64_t stream, Index position) {
  const double size = half_normal(seed, stream, position);
  return uniform(seed, stream + 1, position) < 0.5 ? -size : size;
}

/// users x things with about so many ratings, at least `least` of every user.
inline Csr<double> ratings(Index users, Index things, Index count, Index least, std::uint64_t seed) {
  constexpr Index kRank = 10;
  constexpr double kNoise = 0.6;
  enum : std::uint64_t { activity = 100, pick = 102, taste = 104, trait = 106, liking = 108, noise = 110 };
  std::vector<double> active;
  double sum = 0;
  for (Index i = 0; i < users; ++i) sum += active.emplace_back(std::exp(1.1 * normal(seed, activity, i)));
  Csr<double> M{.rows = users, .cols = things, .offsets = {0}, .indices = {}, .values = {}};
  const double rest = static_cast<double>(count - least * users);
  std::vector<std::pair<double, std::uint32_t>> race(static_cast<std::size_t>(things));
  for (Index i = 0; i < users; ++i) {
    const Index wanted = least + std::lround(rest * active[static_cast<std::size_t>(i)] / sum);
    const auto size = static_cast<std::size_t>(std::min<Index>(wanted, things / 2));
    for (Index j = 0; j < things; ++j) {  // those that win are drawn by their popularity, without repetition
      const double popular = 1 / (static_cast<double>(j) + 0.03 * static_cast<double>(things));
      race[static_cast<std::size_t>(j)] = {-std::log(1 - uniform(seed, pick, i * things + j)) / popular,
                                           static_cast<std::uint32_t>(j)};
    }
    std::nth_element(race.begin(), race.begin() + static_cast<std::ptrdiff_t>(size) - 1, race.end());
    std::sort(race.begin(), race.begin() + static_cast<std::ptrdiff_t>(size),
              [](const auto& a, const auto& b) { return a.second < b.second; });
    for (std::size_t k = 0; k < size; ++k) {
      const auto j = Index{race[k].second};
      double score = 3.6 + 0.4 * normal(seed, liking, i) + 0.4 * normal(seed, liking, users + j);
      for (Index p = 0; p < kRank; ++p)
        score += 0.2 * normal(seed, taste, i * kRank + p) * normal(seed, trait, j * kRank + p);
      score += kNoise * normal(seed, noise, i * things + j);
      M.indices.push_back(race[k].second);
      M.values.push_back(std::clamp(std::round(score), 1.0, 5.0));
    }
    M.offsets.push_back(static_cast<Index>(M.values.size()));
  }
  return M;
}

}  // namespace anmf::bench
