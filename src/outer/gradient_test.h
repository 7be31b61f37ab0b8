// SPDX-License-Identifier: MIT
// The projected gradient relative to its norm at the start, by which a run is seen to have converged. Looking
// at it costs products with M, so that is done now and then.
#pragma once

#include <cmath>

namespace anmf {

class GradientTest {
 public:
  /// `work` is the flops of one look.
  GradientTest(double tolerance, double work) : tolerance_(tolerance), work_(work) {}

  /// The squared norms of both sides.
  void begin(double squared_W, double squared_H) { start_ = std::sqrt(squared_W + squared_H); }
  [[nodiscard]] bool starts_at_zero() const { return start_ == 0; }
  [[nodiscard]] double relative(double squared_W, double squared_H) const {
    return std::sqrt(squared_W + squared_H) / start_;
  }

  /// Whether enough has been done since the last look.
  [[nodiscard]] bool due(double flops) const {
    return tolerance_ > 0 && (flops == 0 || flops - flops_at_look_ >= kWorkPerLook * work_);
  }
  void looked(double flops) { flops_at_look_ = flops; }

  /// A gradient near the pair to be returned is small enough to look at that pair itself.
  [[nodiscard]] bool worth_confirming(double relative) const { return relative <= share_ * tolerance_; }
  /// What was found there.
  void confirmed(double relative) {
    if (relative > tolerance_) share_ *= 0.5;
  }

  /// Names its state to an Exchange (outer/state_exchange.h).
  template <class Exchange>
  void exchange(Exchange& part) {
    part("start_gradient", start_);
    part("flops_at_gradient", flops_at_look_);
    part("confirmation", share_);
  }

 private:
  static constexpr double kWorkPerLook = 10;  // times the work of the look itself

  double tolerance_;
  double work_;
  double start_ = 0;
  double flops_at_look_ = 0;
  double share_ = 1;  // of the tolerance, at which an estimated gradient is confirmed
};

}  // namespace anmf
