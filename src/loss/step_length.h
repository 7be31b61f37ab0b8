// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

namespace anmf {

// A step is long enough where its slope is this share of that at the start.
inline constexpr double kFlatSlope = 0.3;
inline constexpr int kMostStepTrials = 6;

/// Where a row stops on its way: the largest t of those tried for which the way is shown to lead down; 0 if
/// there is none. slope(t) is that of a convex function along the way, increasing in t, and known at both
/// ends: slope(0) < 0.
template <class Slope>
double step_length(double at_start, double at_end, const Slope& slope) {
  double left = 0;
  double slope_left = at_start;
  double right = 1;
  double slope_right = at_end;
  if (slope_right <= 0) return 1;
  if (slope_right <= kFlatSlope * -at_start) {
    // The integral over each half of the way is at most that of the slope at its end.
    const double halfway = slope(0.5);
    if (halfway + slope_right <= 0) return 1;
    if (halfway <= 0) return 0.5;
    right = 0.5;
    slope_right = halfway;
  }
  for (int trial = 0; trial < kMostStepTrials; ++trial) {
    const double share = std::clamp(-slope_left / (slope_right - slope_left), 0.1, 0.9);
    const double t = left + share * (right - left);
    const double at_t = slope(t);
    if (at_t <= 0) {
      left = t;
      slope_left = at_t;
      if (at_t >= kFlatSlope * at_start) break;
    } else {
      right = t;
      slope_right = at_t;
    }
  }
  return left;
}

}  // namespace anmf
