// SPDX-License-Identifier: MIT
// Looking for a lower minimum from a run that has settled in one. An attempt replaces the components that
// would be missed least by random ones and iterates on; what comes of it is kept if its objective is lower,
// else the run goes back. Results thus never get worse. docs/performance.md has the experiment.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "anmf/matrix.h"

namespace anmf {

/// When to set out, and when to end an attempt. Knows objectives only.
class Exploration {
 public:
  enum class Step { go_on, set_out, stay, go_home };

  /// What to do after an iteration that ended at this root of the objective.
  [[nodiscard]] Step after(double root);

  [[nodiscard]] Index attempts() const { return attempts_; }
  [[nodiscard]] Index successes() const { return successes_; }
  /// Attempts since the last one that succeeded: each begins with other components.
  [[nodiscard]] Index failures() const { return failures_; }

  /// Names its state to an Exchange (core/state_exchange.h).
  template <class Exchange>
  void exchange(Exchange& part) {
    part("exploration.home", home_);
    part("exploration.left", left_);
    part("exploration.attempts", attempts_);
    part("exploration.successes", successes_);
    part("exploration.failures", failures_);
    part("exploration.recent", recent_);
  }

 private:
  [[nodiscard]] bool settled() const;

  std::deque<double> recent_;  // roots, the last one at the back
  double home_ = 0;            // root at which the current attempt set out
  Index left_ = 0;             // iterations of the current attempt
  Index attempts_ = 0;
  Index successes_ = 0;
  Index failures_ = 0;
};

/// A fifth of the components: those whose energy is small or whose rows of H resemble another's come first.
/// `skip` is how many of that order to pass over. Both Gram matrices are r x r. The loop calls the factor
/// that it updates first W here, and the other one H.
[[nodiscard]] std::vector<Index> dispensable_components(const Matrix<double>& gram_W,
                                                        const Matrix<double>& gram_H, Index skip);

/// Makes column p of X random, uniform, at least `lower_bound`, with about the given squared norm.
template <class T>
void randomise_column(Matrix<T>& X, Index p, double squared_norm, double lower_bound, std::uint64_t seed,
                      std::uint64_t stream, Index first_row = 0, Index rows_elsewhere = 0);

}  // namespace anmf
