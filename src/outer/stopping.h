// SPDX-License-Identifier: MIT
// When a run ends, and the sentence that says why. Pure functions of the last records.
#pragma once

#include <optional>
#include <string>

#include "anmf/options.h"
#include "anmf/result.h"

namespace anmf {

struct StoppingState {
  IterationRecord now;
  std::optional<IterationRecord> before;
  bool restarted = false;  ///< the last iteration was undone: that its error is the old one says nothing
  bool observer_stopped = false;
};

struct Stop {
  Status status;
  std::string message;
};

/// Convergence is tested before the limits, so a run that converged in its last iteration says so.
[[nodiscard]] std::optional<Stop> check_stop(const Options& options, const StoppingState& state);

/// The decrease that is promised as a share of the objective. Where M is fitted almost exactly the objective
/// goes to zero and takes the decrease with it: then a share of what the fit refers to, 1/2 ||M||^2 for least
/// squares, joins it, which no error that matters reaches.
[[nodiscard]] double relative_decrease(double promised, double objective, double reference);

/// Root of twice the objective: the error itself when there is no penalty.
[[nodiscard]] double objective_root(const IterationRecord& record);

}  // namespace anmf
