// SPDX-License-Identifier: MIT
#include "outer/stopping.h"

#include <fmt/format.h>

#include <cmath>

namespace anmf {
namespace {

/// False after an iteration without any step: Lin's method then only tightens its tolerance.
bool changed_little(const Options& options, const StoppingState& state) {
  if (options.change_tolerance == 0 || !state.before || state.restarted) return false;
  if (state.now.inner_w + state.now.inner_h == 0) return false;
  const double before = objective_root(*state.before);
  return before - objective_root(state.now) <= options.change_tolerance * before;
}

}  // namespace

double objective_root(const IterationRecord& record) {
  return std::hypot(record.error, std::sqrt(2 * record.penalty));
}

std::optional<Stop> check_stop(const Options& options, const StoppingState& state) {
  const IterationRecord& now = state.now;
  if (options.tolerance > 0 && state.kkt && *state.kkt <= options.tolerance) {
    return Stop{
        Status::converged,
        fmt::format(
            "Converged after {} iterations: the projected gradient fell to {:.2g} of its value at the "
            "start (tolerance {:.2g}).",
            now.iteration, *state.kkt, options.tolerance)};
  }
  if (changed_little(options, state)) {
    return Stop{
        Status::converged,
        fmt::format(
            "Converged after {} iterations: the last one lowered the error by at most {:.2g} of itself.",
            now.iteration, options.change_tolerance)};
  }
  if (state.observer_stopped) {
    return Stop{Status::stopped_by_observer,
                fmt::format("Stopped by the observer after {} iterations.", now.iteration)};
  }
  if (now.iteration >= options.max_iterations) {
    return Stop{Status::iteration_limit, fmt::format("Reached the limit of {} iterations without converging.",
                                                     options.max_iterations)};
  }
  if (now.seconds >= options.time_limit) {
    return Stop{Status::time_limit,
                fmt::format("Reached the time limit of {:.6g} s after {} iterations without converging.",
                            options.time_limit, now.iteration)};
  }
  return std::nullopt;
}

}  // namespace anmf
