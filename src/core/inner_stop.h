// SPDX-License-Identifier: MIT
// When the inner iterations of a half-step end (the paper, section 3 and Algorithm 3). Pure functions.
#pragma once

#include <algorithm>
#include <cmath>

#include "anmf/options.h"

namespace anmf {

/// floor(1 + alpha * rho).
[[nodiscard]] inline Index inner_budget(double alpha, double rho) {
  constexpr double kLargest = 1e15;  // beyond any run, and still exact as an integer
  return static_cast<Index>(std::floor(std::min(1 + alpha * rho, kLargest)));
}

/// One sweep always, whatever the sizes.
[[nodiscard]] inline bool single_sweep(const InnerStop& stop) {
  return stop.alpha == 0 && (stop.mode == InnerStopMode::fixed || stop.mode == InnerStopMode::hybrid);
}

/// ||step|| <= epsilon ||first step||, on squares. Epsilon 0 never ends the inner iterations; otherwise
/// a first step of zero does at once.
[[nodiscard]] inline bool step_is_small(double epsilon, double squared_step, double first_squared_step) {
  return epsilon > 0 && squared_step <= epsilon * epsilon * first_squared_step;
}

/// True when inner iteration number `done` (1 is the first) was the last one of this half-step.
[[nodiscard]] inline bool inner_done(const InnerStop& stop, Index done, Index budget, Index cap,
                                     double squared_step, double first_squared_step) {
  switch (stop.mode) {
    case InnerStopMode::fixed:
      return done >= budget;
    case InnerStopMode::dynamic:
      return done >= cap || step_is_small(stop.epsilon, squared_step, first_squared_step);
    case InnerStopMode::hybrid:
    case InnerStopMode::block:  // of one block
      return done >= budget || step_is_small(stop.epsilon, squared_step, first_squared_step);
    case InnerStopMode::projected_gradient:
      return done >= cap;
  }
  return true;
}

}  // namespace anmf
