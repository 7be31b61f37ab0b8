// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <limits>

#include "anmf/matrix.h"

namespace anmf {

/// Components are numbered by labels of 16 bits.
inline constexpr Index kMostComponents = std::numeric_limits<std::uint16_t>::max();
/// Starts, and repeats, of a rank: seeds tell so many apart.
inline constexpr Index kMostOfAKind = Index{1} << 30U;
/// A density threshold that all spectra are below: their distances are at most 2.
inline constexpr double kLeavesOutNone = 2;

}  // namespace anmf
