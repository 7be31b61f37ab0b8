// SPDX-License-Identifier: MIT
// The measure by which a run is seen to have converged. Looking at it costs products with M, so that is done
// now and then.
#pragma once

#include <cmath>

#include "anmf/options.h"
#include "anmf/result.h"
#include "kernels/gradient.h"

namespace anmf {

/// The measure that the rule looks at; NaN where nobody has looked.
[[nodiscard]] inline double convergence_measure(StopRule rule, const IterationRecord& record) {
  return rule == StopRule::gradient ? record.kkt : record.promised_decrease;
}

class Convergence {
 public:
  /// `work` is the flops of one look.
  Convergence(const Options& options, double work)
      : rule_(options.stop_rule), tolerance_(options.tolerance), work_(work) {}

  /// The squared norm of the projected gradient of both sides at the start.
  void begin(double squared_gradient) { start_ = std::sqrt(squared_gradient); }
  /// The projected gradient relative to that at the start, with which a run begins.
  [[nodiscard]] double kkt(const Optimality& now) const {
    return start_ == 0 ? 0 : std::sqrt(now.squared_projected_gradient) / start_;
  }

  /// Whether enough has been done since the last look.
  [[nodiscard]] bool due(double flops) const {
    return tolerance_ > 0 && (flops == 0 || flops - flops_at_look_ >= kWorkPerLook * work_);
  }
  void looked(double flops) { flops_at_look_ = flops; }

  /// What was measured near the pair to be returned is small enough to look at that pair itself.
  [[nodiscard]] bool worth_confirming(const IterationRecord& near) const {
    return convergence_measure(rule_, near) <= share_ * tolerance_;
  }
  /// What was found there.
  void confirmed(const IterationRecord& at_pair) {
    if (convergence_measure(rule_, at_pair) > tolerance_) share_ *= 0.5;
  }

  /// Names its state to an Exchange (core/state_exchange.h).
  template <class Exchange>
  void exchange(Exchange& part) {
    part("start_gradient", start_);
    part("flops_at_gradient", flops_at_look_);
    part("confirmation", share_);
  }

 private:
  static constexpr double kWorkPerLook = 10;  // times the work of the look itself

  StopRule rule_;
  double tolerance_;
  double work_;
  double start_ = 0;
  double flops_at_look_ = 0;
  double share_ = 1;  // of the tolerance, at which what was measured nearby is confirmed
};

}  // namespace anmf
