// SPDX-License-Identifier: MIT
// Where a run goes between its iterations, beyond the paper: pairs that extrapolated steps have led to are
// accepted or undone (outer/extrapolation.h), components whose scale has drifted are brought back, and a run
// that has settled sets out for a lower minimum and returns if it finds none (outer/exploration.h). A pair
// that extrapolation or an exploration has led to is shown and returned only if it is no worse than the one
// before.
#pragma once

#include <cmath>
#include <optional>
#include <string>

#include "loss/fit_term.h"
#include "outer/exploration.h"
#include "outer/extrapolation.h"
#include "outer/plan.h"

namespace anmf {

template <class T>
class Course {
 public:
  /// `lower_bound` is that of the rule's entries.
  Course(const Options& options, const Plan& plan, double lower_bound, const Workers& workers);
  /// Begins with the pair as it is.
  void begin(const FitTerm<T>& fit);

  /// The value of the pair that would be returned.
  [[nodiscard]] const Value& value() const { return home_ ? home_->value : value_; }
  /// That pair.
  [[nodiscard]] const Matrix<T>& best(Side side, const FitTerm<T>& fit) const;
  /// The last pair was undone, or an attempt is going on: values that do not fall say nothing.
  [[nodiscard]] bool restarted() const { return rejected_ || home_; }
  /// The gradient at the factors as they are, with the second one as accepted, is near that of the best pair.
  [[nodiscard]] bool near_best() const;
  [[nodiscard]] bool extrapolated() const { return extrapolation_.has_value(); }
  [[nodiscard]] const std::optional<Exploration>& exploration() const { return exploration_; }

  /// Takes the value of the pair as it is for that of the run.
  void accept(const Value& value);
  /// After rows [begin, end) of the first half-step, and after components were replaced in a half-step.
  void after_first_half(FitTerm<T>& fit, Index begin, Index end);
  void component_was_revived();
  /// After an iteration: accepts the pair, or undoes the iteration. Without extrapolation the pair is the
  /// next iterate, whatever its value.
  void conclude(const Value& candidate, FitTerm<T>& fit);
  /// Once the run has settled, tries to find a lower minimum than the one it is in. True if it has set out
  /// now: the pair is another one, which the caller evaluates and accepts.
  [[nodiscard]] bool explore(FitTerm<T>& fit);
  /// Puts the pair to be returned in the place of the extrapolated one.
  void settle(FitTerm<T>& fit);

  /// Names its state between two iterations to an Exchange (core/state_exchange.h). The fit has its factors
  /// already, so that what is restored has its sizes.
  template <class Exchange>
  void exchange(Exchange& part, const FitTerm<T>& fit);

 private:
  /// The pair to go back to if an attempt of the exploration finds nothing better.
  struct Home {
    Matrix<T> first;
    Matrix<T> second;
    Value value;
    double ceiling;
  };

  [[nodiscard]] Side first() const { return options_.first; }
  [[nodiscard]] Side second() const { return other(options_.first); }
  void extrapolate_from(const FitTerm<T>& fit);
  void set_out(const Exploration& exploration, FitTerm<T>& fit);
  void begin_anew(FitTerm<T>& fit);

  const Options& options_;
  const Plan& plan_;
  double lower_bound_;
  Workers workers_;
  std::optional<Extrapolation<T>> extrapolation_;
  bool rejected_ = false;  ///< the last iteration was: the factors are back at its start
  std::optional<Exploration> exploration_;
  std::optional<Home> home_;   ///< during an attempt; meanwhile this is the pair to be shown and returned
  Value value_;                ///< of the last pair that was accepted
  double ceiling_ = HUGE_VAL;  ///< the lowest objective since the run last moved, plus its rounding
};

template <class T>
template <class Exchange>
void Course<T>::exchange(Exchange& part, const FitTerm<T>& fit) {
  const auto exchange_value = [&part](const std::string& prefix, Value& value) {
    double twice = 2 * value.loss;  // the squared error, under its name
    part(prefix + "squared_error", twice);
    value.loss = 0.5 * twice;
    part(prefix + "penalty", value.penalty);
  };
  const std::string first_name = first() == Side::W ? "W." : "H.";
  const std::string second_name = first() == Side::W ? "H." : "W.";
  if (extrapolation_) extrapolation_->exchange(part, first_name, second_name);
  if (exploration_) exploration_->exchange(part);
  bool away = home_.has_value();
  part("away", away);
  if (away && !home_) {
    home_ = Home{.first = fit.factor(first()).X, .second = fit.factor(second()).X, .value = {}, .ceiling = 0};
  }
  if (home_) {
    part(first_name + "home", home_->first);
    part(second_name + "home", home_->second);
    exchange_value("home.", home_->value);
    part("home.ceiling", home_->ceiling);
  }
  part("rejected", rejected_);
  exchange_value("", value_);
  part("ceiling", ceiling_);
}

}  // namespace anmf
