// SPDX-License-Identifier: MIT
#include "outer/stopping.h"

#include <fmt/format.h>

#include <cmath>

#include "outer/convergence.h"

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

double relative_decrease(double promised, double objective, double reference) {
  constexpr double kNegligible = 1e-8;  // a relative error of 1e-4
  const double base = objective + kNegligible * reference;
  return base > 0 ? promised / base : 0;
}

double objective_root(const IterationRecord& record) {
  return std::hypot(record.error, std::sqrt(2 * record.penalty));
}

std::optional<Stop> check_stop(const Options& options, const StoppingState& state) {
  const IterationRecord& now = state.now;
  const double measure = convergence_measure(options.stop_rule, now);
  if (options.tolerance > 0 && measure <= options.tolerance) {
    const bool by_gradient = options.stop_rule == StopRule::gradient;
    return Stop{
        Status::converged,
        fmt::format(
            fmt::runtime(
                by_gradient
                    ? "Converged after {} iterations: the projected gradient fell to {:.2g} of its "
                      "value at the start (tolerance {:.2g})."
                    : "Converged after {} iterations: another pass over all entries of W and H promises "
                      "to lower the objective by {:.2g} of itself (tolerance {:.2g})."),
            now.iteration, measure, options.tolerance)};
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
