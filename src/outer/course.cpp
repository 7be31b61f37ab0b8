// SPDX-License-Identifier: MIT
#include "outer/course.h"

#include <algorithm>
#include <utility>

#include "loss/row_method.h"

namespace anmf {

template <class T>
Course<T>::Course(const Options& options, const Plan& plan, double lower_bound, const Workers& workers)
    : options_(options), plan_(plan), lower_bound_(lower_bound), workers_(workers) {}

template <class T>
void Course<T>::begin(const FitTerm<T>& fit) {
  extrapolate_from(fit);
  const Index gentle = gentle_iterations(plan_.method.rule, plan_.beta);
  if (extrapolation_ && gentle > 0) extrapolation_->rest(gentle + 1);  // a step that points somewhere
  if (plan_.explore) exploration_.emplace();
}

template <class T>
void Course<T>::extrapolate_from(const FitTerm<T>& fit) {
  if (!plan_.method.extrapolated) return;
  extrapolation_.emplace(fit.factor(first()).X, fit.factor(second()).X, plan_.method.rule.keeps);
}

template <class T>
const Matrix<T>& Course<T>::best(Side side, const FitTerm<T>& fit) const {
  if (home_) return side == first() ? home_->first : home_->second;
  if (!extrapolation_) return fit.factor(side).X;
  return side == first() ? extrapolation_->best_first() : extrapolation_->best_second();
}

template <class T>
bool Course<T>::near_best() const {
  if (home_) return false;
  return !rejected_ || !extrapolation_ || extrapolation_->based_on_best();
}

/// Rises within the rounding of the lowest objective are none, however many of them follow each other.
template <class T>
void Course<T>::accept(const Value& value) {
  value_ = value;
  ceiling_ = std::min(ceiling_, value.objective() + value.rounding);
}

template <class T>
void Course<T>::after_first_half(FitTerm<T>& fit, Index begin, Index end) {
  if (extrapolation_) extrapolation_->extrapolate_first(fit.X(first()), begin, end, workers_.pool);
}

template <class T>
void Course<T>::component_was_revived() {
  if (extrapolation_) extrapolation_->forget_step();
}

template <class T>
void Course<T>::conclude(const Value& candidate, FitTerm<T>& fit) {
  if (!extrapolation_) {
    accept(candidate);
    return;
  }
  Matrix<T>& A = fit.X(first());
  Matrix<T>& B = fit.X(second());
  rejected_ = extrapolation_->active() && candidate.objective() > ceiling_;
  if (rejected_) {
    extrapolation_->reject(A, B);
    fit.moved(first());
  } else {
    accept(candidate);
    // NOLINTBEGIN(bugprone-unchecked-optional-access): nothing here takes the extrapolation away
    // Before the pair that was evaluated is extrapolated. A bound other than zero knows one scale alone.
    if (lower_bound_ == 0 && fit.balance()) extrapolation_->restart(A, B);
    extrapolation_->accept(A, B, workers_.pool);
    // NOLINTEND(bugprone-unchecked-optional-access)
  }
  fit.moved(second());
}

template <class T>
bool Course<T>::explore(FitTerm<T>& fit) {
  if (!exploration_) return false;
  // A fit that is exact to rounding cannot be improved, nor can a single component.
  if (!home_ && (value_.loss <= value_.rounding || options_.rank < 2)) return false;
  switch (exploration_->after(std::sqrt(2 * value_.objective()))) {
    case Exploration::Step::go_on:
      break;
    case Exploration::Step::set_out:
      set_out(*exploration_, fit);
      return true;
    case Exploration::Step::stay:
      home_.reset();
      break;
    case Exploration::Step::go_home:
      settle(fit);
      break;
  }
  return false;
}

template <class T>
void Course<T>::set_out(const Exploration& exploration, FitTerm<T>& fit) {
  settle(fit);
  home_ = Home{.first = fit.X(first()), .second = fit.X(second()), .value = value_, .ceiling = ceiling_};
  const auto rank = static_cast<std::uint64_t>(options_.rank);
  for (const Index p :
       dispensable_components(fit.gram(first()), fit.gram(second()), exploration.failures())) {
    // Streams that nobody else uses: two for every attempt and component.
    constexpr std::uint64_t kFirstStream = 1024;
    std::uint64_t stream = kFirstStream + 2 * (static_cast<std::uint64_t>(exploration.attempts()) * rank +
                                               static_cast<std::uint64_t>(p));
    for (const Side side : {first(), second()}) {
      const FactorState<T>& factor = fit.factor(side);
      randomise_column(fit.X(side), p, factor.gram(p, p), lower_bound_, options_.seed, stream++,
                       factor.first_row, factor.rows_elsewhere);
    }
  }
  begin_anew(fit);
  ceiling_ = HUGE_VAL;
}

/// Goes on from the factors as they are now, and forgets where the last steps led.
template <class T>
void Course<T>::begin_anew(FitTerm<T>& fit) {
  for (const Side side : {Side::W, Side::H}) fit.moved(side);
  rejected_ = false;
  extrapolate_from(fit);
}

template <class T>
void Course<T>::settle(FitTerm<T>& fit) {
  if (home_) {
    fit.X(first()) = std::move(home_->first);
    fit.X(second()) = std::move(home_->second);
    begin_anew(fit);
    // NOLINTBEGIN(bugprone-unchecked-optional-access): nor the pair to go home to
    value_ = home_->value;
    ceiling_ = home_->ceiling;
    // NOLINTEND(bugprone-unchecked-optional-access)
    home_.reset();
    return;
  }
  if (!extrapolation_) return;
  if (rejected_) {
    fit.X(first()) = extrapolation_->best_first();
    fit.moved(first());
    rejected_ = false;
  }
  fit.X(second()) = extrapolation_->best_second();
  fit.moved(second());
}

template class Course<float>;
template class Course<double>;

}  // namespace anmf
