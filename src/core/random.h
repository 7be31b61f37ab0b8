// SPDX-License-Identifier: MIT
// Counter-based random numbers (Philox 2x64, Salmon et al. 2011): the number at a position is a pure
// function of (seed, stream, position), so it is the same for any number of threads, any order of
// evaluation and every platform.
#pragma once

#include <Random123/philox.h>

#include <cstdint>

#include "anmf/matrix.h"

namespace anmf {

/// Uniform on [0, 1), with 53 random bits.
[[nodiscard]] inline double uniform(std::uint64_t seed, std::uint64_t stream, Index position) {
  const r123::Philox2x64::ctr_type counter = {{static_cast<std::uint64_t>(position), stream}};
  const r123::Philox2x64::key_type key = {{seed}};
  return static_cast<double>(r123::Philox2x64()(counter, key)[0] >> 11U) * 0x1.0p-53;
}

}  // namespace anmf
