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
  std::optional<double> kkt;  ///< projected gradient relative to the start, if it was evaluated
  bool restarted = false;     ///< the last iteration was undone: that its error is the old one says nothing
  bool observer_stopped = false;
};

struct Stop {
  Status status;
  std::string message;
};

/// Convergence is tested before the limits, so a run that converged in its last iteration says so.
[[nodiscard]] std::optional<Stop> check_stop(const Options& options, const StoppingState& state);

/// Root of twice the objective: the error itself when there is no penalty.
[[nodiscard]] double objective_root(const IterationRecord& record);

}  // namespace anmf
