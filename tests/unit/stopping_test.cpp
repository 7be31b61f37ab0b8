// SPDX-License-Identifier: MIT
#include "outer/stopping.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string_view>

#include "support/files_and_messages.h"

namespace anmf::test::stopping_test {
namespace {

using io_test::expect_phrase;

constexpr double kInf = std::numeric_limits<double>::infinity();

/// Options under which nothing stops a run.
Options endless() {
  Options options;
  options.max_iterations = 1000000;
  options.time_limit = kInf;
  options.tolerance = 0;
  options.change_tolerance = 0;
  return options;
}

IterationRecord record(Index iteration, double error, double penalty = 0) {
  return {
      .iteration = iteration, .seconds = 0.5, .error = error, .penalty = penalty, .inner_w = 1, .inner_h = 1};
}

/// After iteration 7, which lowered the error from `before` to `now`.
StoppingState step(double before, double now) { return {.now = record(7, now), .before = record(6, before)}; }

Status status(const std::optional<Stop>& stop) { return stop.value().status; }

TEST(CheckStop, LetsARunGoOnWhenNoRuleFires) {
  EXPECT_FALSE(check_stop(endless(), step(2, 1)));
  EXPECT_FALSE(check_stop(endless(), {.now = record(0, 1)}));
}

TEST(CheckStop, ConvergesWhenTheMeasureOfItsRuleReachesTheTolerance) {
  for (const StopRule rule : {StopRule::promised_decrease, StopRule::gradient}) {
    SCOPED_TRACE(to_string(rule));
    const bool by_gradient = rule == StopRule::gradient;
    Options options = endless();
    options.tolerance = 0.25;
    options.stop_rule = rule;
    StoppingState state = step(2, 1);
    (by_gradient ? state.now.promised_decrease : state.now.kkt) = 0;  // the other rule's
    double& measure = by_gradient ? state.now.kkt : state.now.promised_decrease;

    EXPECT_FALSE(check_stop(options, state));  // nobody has looked
    measure = std::nextafter(0.25, 1.0);
    EXPECT_FALSE(check_stop(options, state));
    measure = 0.25;
    EXPECT_EQ(status(check_stop(options, state)), Status::converged);
    measure = 0;
    EXPECT_EQ(status(check_stop(options, state)), Status::converged);
  }
}

TEST(RelativeDecrease, IsAShareOfTheObjectiveUnlessThatIsNegligible) {
  EXPECT_NEAR(relative_decrease(0.25, 0.5, 8), 0.5, 1e-6);
  EXPECT_EQ(relative_decrease(0.25, 0, 8), 0.25 / (1e-8 * 8));
  EXPECT_EQ(relative_decrease(0, 0.5, 8), 0);
  EXPECT_EQ(relative_decrease(0, 0, 0), 0);  // M = 0
}

TEST(CheckStop, NeverConvergesWithTolerancesOfZero) {
  StoppingState state = step(1, 1);
  state.now.promised_decrease = state.now.kkt = 0;

  EXPECT_FALSE(check_stop(endless(), state));
  EXPECT_FALSE(check_stop(endless(), step(0, 0)));
}

TEST(CheckStop, ConvergesWhenAnIterationChangesLittle) {
  Options options = endless();
  options.change_tolerance = 0.25;

  EXPECT_FALSE(check_stop(options, step(4, 2.999)));
  EXPECT_EQ(status(check_stop(options, step(4, 3))), Status::converged);
  EXPECT_EQ(status(check_stop(options, step(4, 4))), Status::converged);
  EXPECT_EQ(status(check_stop(options, step(4, 4.001))), Status::converged);
  EXPECT_EQ(status(check_stop(options, step(0, 0))), Status::converged);
}

TEST(CheckStop, DoesNotJudgeTheChangeAtTheStart) {
  Options options = endless();
  options.change_tolerance = 0.25;

  EXPECT_FALSE(check_stop(options, {.now = record(0, 1)}));
}

TEST(CheckStop, DoesNotCountAnIterationWithoutAnyStepAsConverged) {
  Options options = endless();
  options.change_tolerance = 0.25;
  StoppingState state = step(4, 4);

  state.now.inner_w = state.now.inner_h = 0;
  EXPECT_FALSE(check_stop(options, state));
  state.now.inner_h = 1;
  EXPECT_EQ(status(check_stop(options, state)), Status::converged);
  state.now.inner_w = 1;
  state.now.inner_h = 0;
  EXPECT_EQ(status(check_stop(options, state)), Status::converged);
}

TEST(CheckStop, CountsThePenaltyAsPartOfTheChange) {
  Options options = endless();
  options.change_tolerance = 0.25;
  const StoppingState state{.now = record(7, 3, 0), .before = record(6, 3, 8)};  // objective roots 3 and 5

  EXPECT_FALSE(check_stop(options, state));
}

TEST(CheckStop, StopsAtTheIterationLimit) {
  Options options = endless();
  options.max_iterations = 8;
  EXPECT_FALSE(check_stop(options, step(2, 1)));
  options.max_iterations = 7;
  EXPECT_EQ(status(check_stop(options, step(2, 1))), Status::iteration_limit);
  options.max_iterations = 0;
  EXPECT_EQ(status(check_stop(options, {.now = record(0, 1)})), Status::iteration_limit);
}

TEST(CheckStop, StopsAtTheTimeLimit) {
  Options options = endless();
  options.time_limit = 0.51;
  EXPECT_FALSE(check_stop(options, step(2, 1)));
  options.time_limit = 0.5;
  EXPECT_EQ(status(check_stop(options, step(2, 1))), Status::time_limit);
  options.time_limit = 0;
  EXPECT_EQ(status(check_stop(options, step(2, 1))), Status::time_limit);
}

TEST(CheckStop, StopsForTheObserver) {
  StoppingState state = step(2, 1);
  state.observer_stopped = true;

  EXPECT_EQ(status(check_stop(endless(), state)), Status::stopped_by_observer);
}

TEST(CheckStop, NamesTheFirstOfSeveralReasons) {
  Options options = endless();
  options.tolerance = 0.1;
  options.change_tolerance = 0.1;
  options.max_iterations = 7;
  options.time_limit = 0.1;
  StoppingState state = step(1, 1);
  state.now.promised_decrease = 0.01;
  state.observer_stopped = true;

  expect_phrase(check_stop(options, state).value().message, "promises");
  state.now.promised_decrease = 1;
  EXPECT_EQ(status(check_stop(options, state)), Status::converged);
  expect_phrase(check_stop(options, state).value().message, "error");
  options.change_tolerance = 0;
  EXPECT_EQ(status(check_stop(options, state)), Status::stopped_by_observer);
  state.observer_stopped = false;
  EXPECT_EQ(status(check_stop(options, state)), Status::iteration_limit);
  options.max_iterations = 8;
  EXPECT_EQ(status(check_stop(options, state)), Status::time_limit);
}

TEST(CheckStop, NamesTheNumbersInItsMessage) {
  StoppingState state = step(1, 1);
  state.now.kkt = 0.0125;
  state.now.promised_decrease = 0.0625;
  Options by_gradient = endless();
  by_gradient.tolerance = 0.05;
  by_gradient.stop_rule = StopRule::gradient;
  Options by_promise = endless();
  by_promise.tolerance = 0.075;
  Options by_change = endless();
  by_change.change_tolerance = 0.0025;
  Options by_iterations = endless();
  by_iterations.max_iterations = 7;
  Options by_time = endless();
  by_time.time_limit = 0.125;

  const auto expect_phrases = [&](const Options& options, std::initializer_list<std::string_view> phrases) {
    for (const std::string_view phrase : phrases)
      expect_phrase(check_stop(options, state).value().message, phrase);
  };
  expect_phrases(by_gradient, {"after 7 iterations", "gradient", "0.013", "tolerance 0.05"});
  expect_phrases(by_promise, {"after 7 iterations", "another pass", "0.062 of itself", "tolerance 0.075"});
  expect_phrases(by_change, {"after 7 iterations", "0.0025"});
  expect_phrases(by_iterations, {"limit of 7 iterations", "without converging"});
  expect_phrases(by_time, {"time limit of 0.125 s", "after 7 iterations", "without converging"});
  state.observer_stopped = true;
  expect_phrases(endless(), {"observer", "after 7 iterations"});
}

TEST(ObjectiveRoot, IsTheErrorWithoutAPenalty) {
  for (const double error : {0.0, 1e-150, 0.3, 7.0, 1e150})
    EXPECT_DOUBLE_EQ(objective_root(record(1, error)), error);
}

TEST(ObjectiveRoot, IsTheErrorOfVeryLargeAndVerySmallMatricesToo) {
  for (const double error : {1e-300, 1e-200, 1e200, 1e300})
    EXPECT_DOUBLE_EQ(objective_root(record(1, error)), error);
}

TEST(ObjectiveRoot, AddsTwiceThePenaltyUnderTheRoot) { EXPECT_DOUBLE_EQ(objective_root(record(1, 3, 8)), 5); }

TEST(CheckStop, JudgesTheChangeOfVerySmallMatricesLikeThatOfOthers) {
  Options options = endless();
  options.change_tolerance = 0.25;

  EXPECT_FALSE(check_stop(options, step(4e-200, 2e-200)));
}

TEST(CheckStop, JudgesTheChangeOfVeryLargeMatricesLikeThatOfOthers) {
  Options options = endless();
  options.change_tolerance = 0.25;

  EXPECT_TRUE(check_stop(options, step(4e200, 3.5e200)));
}

}  // namespace
}  // namespace anmf::test::stopping_test
