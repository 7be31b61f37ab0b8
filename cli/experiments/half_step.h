// SPDX-License-Identifier: MIT
// How far the inner iterations of one half-step get towards its exact solution (the paper's figure 7):
//
//     E^k(l) = (||M - W(k,l) H(k)|| - e_min) / (||M - W(k,0) H(k)|| - e_min),   e_min = min over W >= 0
//
// for the half-step of W that follows k outer iterations of the plain method.
#pragma once

#include <string>
#include <vector>

#include "experiments/results.h"

namespace anmf::cli {

struct HalfStepCurve {
  std::string label;
  Behaviour behaviour;
  std::string method;
  Index outer_iterations = 0;
  Curve gap;  ///< E^k(l) over l = 0, 1, ..., averaged over the starts
};

/// One curve per variant and number of outer iterations.
[[nodiscard]] std::vector<HalfStepCurve> half_step_curves(const Data<double>& data, Index rank,
                                                          const Experiment& experiment);

/// As a figure over inner iterations instead of work.
[[nodiscard]] PanelResult half_step_panel(const Case& c, const Experiment& experiment,
                                          const std::vector<HalfStepCurve>& curves);

}  // namespace anmf::cli
