// SPDX-License-Identifier: MIT
// When a run on a compression M^ has done its part: its error, seen from M as
// sqrt(||M^ - WH||^2 + ||M - M^||^2), falls slowly. docs/performance.md has the experiment.
#pragma once

#include <cstddef>
#include <vector>

#include "anmf/factorize.h"

namespace anmf {

/// Stops the run it observes when, over the last kWindow iterations, one lowered the error by less than
/// kSlow of it on average.
template <class T>
class SlowDecrease final : public Observer<T> {
 public:
  /// `squared_loss` is ||M - M^||^2. `caller` watches the run on M and may be null.
  explicit SlowDecrease(double squared_loss, Observer<T>* caller = nullptr)
      : squared_loss_(squared_loss), caller_(caller) {}

  typename Observer<T>::Action on_iteration(const IterationRecord& record, ConstMatrixView<T> W,
                                            ConstMatrixView<T> Ht) override {
    (void)W, (void)Ht;
    ended_by_caller_ = caller_ != nullptr && caller_->on_compressed_iteration() == Observer<T>::Action::stop;
    if (ended_by_caller_) return Observer<T>::Action::stop;
    const double squared = record.error * record.error;
    squared_errors_.push_back(squared);
    const std::size_t count = squared_errors_.size();
    if (count <= kFewest) return Observer<T>::Action::proceed;
    const double before = squared_errors_[count - 1 - kWindow];
    // An iteration that was undone repeats the error before it, which says nothing, unless all of them do.
    if (squared == squared_errors_[count - 2] && squared != before) return Observer<T>::Action::proceed;
    const double decrease = before - squared;
    const bool slow = decrease <= kSlow * static_cast<double>(kWindow) * 2 * (squared + squared_loss_);
    return slow ? Observer<T>::Action::stop : Observer<T>::Action::proceed;
  }

  [[nodiscard]] bool ended_by_caller() const { return ended_by_caller_; }

 private:
  static constexpr double kSlow = 5e-4;
  static constexpr std::size_t kWindow = 4;
  static constexpr std::size_t kFewest = 6;

  double squared_loss_;
  Observer<T>* caller_;
  bool ended_by_caller_ = false;
  std::vector<double> squared_errors_;
};

}  // namespace anmf
