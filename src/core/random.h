// SPDX-License-Identifier: MIT
// Counter-based random numbers (Philox 2x64, Salmon et al. 2011): the number at a position is a pure
// function of (seed, stream, position), so it is the same for any number of threads, any order of
// evaluation and every platform.
#pragma once

#include <Random123/philox.h>

#include <cmath>
#include <cstdint>
#include <numbers>

#include "anmf/matrix.h"

namespace anmf {

/// Who draws from which stream. The exploration takes those from 1024 on.
namespace streams {
inline constexpr std::uint64_t kStartW = 0;
inline constexpr std::uint64_t kStartH = 1;
inline constexpr std::uint64_t kCompression = 2;
inline constexpr std::uint64_t kSingularVectors = 3;
inline constexpr std::uint64_t kFillW = 4;
inline constexpr std::uint64_t kFillH = 5;
inline constexpr std::uint64_t kColumns = 6;
inline constexpr std::uint64_t kShuffle = 7;
inline constexpr std::uint64_t kSignsW = 8;
inline constexpr std::uint64_t kSignsH = 9;
inline constexpr std::uint64_t kHeldOut = 10;
// Of a survey: seeds of its jobs, k-means, seeds of masks, samples of the consensus matrix.
inline constexpr std::uint64_t kJobs = 11;
inline constexpr std::uint64_t kClusters = 12;
inline constexpr std::uint64_t kMasks = 13;
inline constexpr std::uint64_t kSamples = 14;
inline constexpr std::uint64_t kResampling = 15;
inline constexpr std::uint64_t kHalvesOfRows = 16;
inline constexpr std::uint64_t kHalvesOfColumns = 17;
}  // namespace streams

[[nodiscard]] inline r123::Philox2x64::ctr_type random_bits(std::uint64_t seed, std::uint64_t stream,
                                                            Index position) {
  const r123::Philox2x64::ctr_type counter = {{static_cast<std::uint64_t>(position), stream}};
  const r123::Philox2x64::key_type key = {{seed}};
  return r123::Philox2x64()(counter, key);
}

/// Uniform on [0, 1), with 53 random bits.
[[nodiscard]] inline double uniform(std::uint64_t seed, std::uint64_t stream, Index position) {
  return static_cast<double>(random_bits(seed, stream, position)[0] >> 11U) * 0x1.0p-53;
}

/// |N(0, 1)| by the transform of Box and Muller, from both words of one position. The last bits are those
/// of the C library's log and cos.
[[nodiscard]] inline double half_normal(std::uint64_t seed, std::uint64_t stream, Index position) {
  const auto bits = random_bits(seed, stream, position);
  const double radius = static_cast<double>((bits[0] >> 11U) + 1) * 0x1.0p-53;  // in (0, 1]
  const double angle = static_cast<double>(bits[1] >> 11U) * 0x1.0p-53;
  return std::sqrt(-2 * std::log(radius)) * std::abs(std::cos(2 * std::numbers::pi * angle));
}

}  // namespace anmf
