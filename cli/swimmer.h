// SPDX-License-Identifier: MIT
// The swimmer: 32 x 32 images of a torso with four limbs, each limb in one of four positions, all 4^4 = 256
// combinations (after Donoho and Stodden, 2003). No two parts share a pixel, so the images are sums of 17
// known parts, and one sees at a glance whether a factorization has found them.
#pragma once

#include <vector>

#include "anmf/matrix.h"

namespace anmf::cli {

inline constexpr Index kSwimmerSide = 32;
inline constexpr Index kSwimmerLimbs = 4;
inline constexpr Index kSwimmerPositions = 4;
inline constexpr Index kSwimmerImages = 256;
inline constexpr Index kSwimmerParts = 1 + kSwimmerLimbs * kSwimmerPositions;

/// The 17 parts as 32 x 32 images of zeros and ones: the torso, then four positions of each limb.
[[nodiscard]] std::vector<Matrix<double>> swimmer_parts();

/// M, pixels x images (1024 x 256); pixel (x, y) is row y * 32 + x. Image j has limb l in the position that
/// is digit l of j to the base 4.
[[nodiscard]] Matrix<double> swimmer_matrix();

}  // namespace anmf::cli
