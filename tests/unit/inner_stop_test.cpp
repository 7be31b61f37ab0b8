// SPDX-License-Identifier: MIT
#include "core/inner_stop.h"

#include <gtest/gtest.h>

#include <limits>

#include "support/naive_nmf.h"

namespace anmf::test::inner_stop_test {
namespace {

constexpr double kHuge = std::numeric_limits<double>::max();
constexpr Index kFar = 1000000;  // a budget or cap that is out of reach

TEST(InnerBudget, IsTheFloorOfOnePlusAlphaRho) {
  EXPECT_EQ(inner_budget(0, 123.07), 1);
  EXPECT_EQ(inner_budget(0.5, 1), 1);
  EXPECT_EQ(inner_budget(0.5, 1.999), 1);
  EXPECT_EQ(inner_budget(0.5, 2), 2);
  EXPECT_EQ(inner_budget(1, 1), 2);
  EXPECT_EQ(inner_budget(2, 123.07), 247);
  EXPECT_EQ(inner_budget(1, std::nextafter(3.0, 0)), 3);
  EXPECT_EQ(inner_budget(1e-300, 2), 1);
}

TEST(InnerBudget, EqualsTheNaiveOne) {
  for (double alpha = 0; alpha < 5; alpha += 0.37) {
    for (double rho = 1; rho < 400; rho *= 1.7)
      EXPECT_EQ(inner_budget(alpha, rho), naive::budget(alpha, rho));
  }
}

TEST(InnerBudget, StaysAnIntegerHoweverLargeAlphaIs) {
  EXPECT_EQ(inner_budget(1e12, 100), 100000000000001);
  EXPECT_EQ(inner_budget(1e300, 100), 1000000000000000);
  EXPECT_EQ(inner_budget(kHuge, kHuge), 1000000000000000);
}

TEST(StepIsSmall, ComparesNormsAndNotTheirSquares) {
  EXPECT_FALSE(step_is_small(0.5, 1.01 * 0.25, 1));
  EXPECT_TRUE(step_is_small(0.5, 0.99 * 0.25, 1));
}

TEST(StepIsSmall, HoldsInCaseOfEquality) {
  EXPECT_TRUE(step_is_small(0.5, 4, 16));
  EXPECT_FALSE(step_is_small(0.5, std::nextafter(4.0, 5.0), 16));
}

TEST(StepIsSmall, NeverHoldsWithEpsilonZero) {
  EXPECT_FALSE(step_is_small(0, 1, 1));
  EXPECT_FALSE(step_is_small(0, 0, 1));
  EXPECT_FALSE(step_is_small(0, 0, 0));
}

TEST(StepIsSmall, DoesNotHoldForTheFirstStepUnlessThatIsZero) {
  EXPECT_FALSE(step_is_small(0.999, 7, 7));
  EXPECT_FALSE(step_is_small(0.1, 1e-300, 1e-300));
  EXPECT_TRUE(step_is_small(0.1, 0, 0));
}

TEST(StepIsSmall, HoldsForAStepOfZero) { EXPECT_TRUE(step_is_small(1e-8, 0, 1)); }

TEST(StepIsSmall, DoesNotHoldForAStepThatGrew) { EXPECT_FALSE(step_is_small(0.9, 2, 1)); }

TEST(InnerDone, FixedEndsWithTheBudgetOnly) {
  const InnerStop stop{.mode = InnerStopMode::fixed, .alpha = 1, .epsilon = 0.9};

  EXPECT_FALSE(inner_done(stop, 2, 3, 1, 0, 1));  // neither a small step nor the cap counts
  EXPECT_TRUE(inner_done(stop, 3, 3, kFar, 1, 1));
  EXPECT_TRUE(inner_done(stop, 4, 3, kFar, 1, 1));
  EXPECT_TRUE(inner_done(stop, 1, 1, kFar, 1, 1));
}

TEST(InnerDone, DynamicEndsWithASmallStepOrTheCap) {
  const InnerStop stop{.mode = InnerStopMode::dynamic, .epsilon = 0.5};

  EXPECT_FALSE(inner_done(stop, 2, 1, kFar, 1, 1));  // the budget does not count
  EXPECT_TRUE(inner_done(stop, 2, kFar, kFar, 0.25, 1));
  EXPECT_FALSE(inner_done(stop, 9, kFar, 10, 1, 1));
  EXPECT_TRUE(inner_done(stop, 10, kFar, 10, 1, 1));
}

TEST(InnerDone, HybridEndsWithWhateverComesFirst) {
  const InnerStop stop{.mode = InnerStopMode::hybrid, .alpha = 1, .epsilon = 0.5};

  EXPECT_FALSE(inner_done(stop, 2, 3, 1, 0.26, 1));  // the cap does not count
  EXPECT_TRUE(inner_done(stop, 2, 3, kFar, 0.25, 1));
  EXPECT_TRUE(inner_done(stop, 3, 3, kFar, 1, 1));
}

TEST(InnerDone, HybridWithEpsilonZeroIsFixed) {
  const InnerStop stop{.mode = InnerStopMode::hybrid, .alpha = 1, .epsilon = 0};

  EXPECT_FALSE(inner_done(stop, 1, 3, kFar, 0, 0));
  EXPECT_FALSE(inner_done(stop, 2, 3, kFar, 0, 1));
  EXPECT_TRUE(inner_done(stop, 3, 3, kFar, 1, 1));
}

TEST(InnerDone, AFirstStepOfZeroEndsDynamicAndHybrid) {
  for (const InnerStopMode mode : {InnerStopMode::dynamic, InnerStopMode::hybrid}) {
    EXPECT_TRUE(inner_done({.mode = mode, .epsilon = 0.1}, 1, kFar, kFar, 0, 0));
  }
}

TEST(InnerDone, LinsRuleEndsWithTheCapOnly) {
  const InnerStop stop{.mode = InnerStopMode::projected_gradient, .epsilon = 0.9};

  EXPECT_FALSE(inner_done(stop, 9, 1, 10, 0, 1));
  EXPECT_TRUE(inner_done(stop, 10, kFar, 10, 1, 1));
}

TEST(InnerDone, EveryModeEndsAfterOneIterationWithBudgetAndCapOfOne) {
  for (const InnerStopMode mode : {InnerStopMode::fixed, InnerStopMode::dynamic, InnerStopMode::hybrid,
                                   InnerStopMode::projected_gradient}) {
    EXPECT_TRUE(inner_done({.mode = mode, .epsilon = 0.1}, 1, 1, 1, 1, 1));
  }
}

}  // namespace
}  // namespace anmf::test::inner_stop_test
