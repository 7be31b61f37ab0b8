// SPDX-License-Identifier: MIT
// E(t) and its averages on traces made by hand.
#include "experiments/curves.h"

#include <gtest/gtest.h>

namespace anmf::cli {
namespace {

const Trace kFast{.seconds = {0, 1, 2}, .flops = {0, 10, 20}, .error = {10, 4, 2}};
const Trace kSlow{.seconds = {0, 3}, .flops = {0, 15}, .error = {12, 7}};

TEST(Gap, IsTheShareOfTheFirstGapThatIsLeft) {
  EXPECT_DOUBLE_EQ(gap(10, 10, 2), 1);
  EXPECT_DOUBLE_EQ(gap(4, 10, 2), 0.25);
  EXPECT_DOUBLE_EQ(gap(2, 10, 2), 0);
}

TEST(Gap, IsZeroWhereThereIsNothingToGain) { EXPECT_EQ(gap(3, 3, 3), 0); }

TEST(GapSteps, DivideByTheUnit) {
  const Steps steps = gap_steps(kFast.flops, kFast.error, 2, 10);

  EXPECT_EQ(steps.x, (std::vector<double>{0, 1, 2}));
  EXPECT_EQ(steps.y, (std::vector<double>{1, 0.25, 0}));
}

TEST(LastAt, TakesTheValueAtOrBefore) {
  const Steps steps = gap_steps(kFast.seconds, kFast.error, 2);

  EXPECT_EQ(last_at(steps, 0), 1);
  EXPECT_EQ(last_at(steps, 0.999), 1);
  EXPECT_EQ(last_at(steps, 1), 0.25);
  EXPECT_EQ(last_at(steps, 1.5), 0.25);
  EXPECT_EQ(last_at(steps, 100), 0);
}

TEST(Average, IsTakenOverRunsWithTheirExtremes) {
  const double smallest = std::min(smallest_error(kFast), smallest_error(kSlow));
  const std::vector<Steps> runs = {gap_steps(kFast.seconds, kFast.error, smallest),
                                   gap_steps(kSlow.seconds, kSlow.error, smallest)};

  const Curve curve = average(runs, {0, 1, 2.5, 3});

  EXPECT_EQ(smallest, 2);
  EXPECT_EQ(curve.mean, (std::vector<double>{1, 0.625, 0.5, 0.25}));
  EXPECT_EQ(curve.low, (std::vector<double>{1, 0.25, 0, 0}));
  EXPECT_EQ(curve.high, (std::vector<double>{1, 1, 1, 0.5}));
}

TEST(Grid, IsDenserTowardsZeroAndEndsAtTheEnd) {
  EXPECT_EQ(make_grid(8, 4), (std::vector<double>{0, 0.5, 2, 4.5, 8}));
}

TEST(FirstAtMost, FindsTheLevelOrNothing) {
  const Curve curve{.x = {0, 1, 2}, .mean = {1, 0.5, 0.1}};

  EXPECT_EQ(first_at_most(curve, 0.5), 1);
  EXPECT_EQ(first_at_most(curve, 0.4), 2);
  EXPECT_EQ(first_at_most(curve, 0.05), std::nullopt);
}

TEST(Speedup, ComparesTheWayToTheLevelThatBothReach) {
  const Curve fast{.x = {0, 1, 2, 3, 4}, .mean = {1, 0.2, 0.1, 0.1, 0.1}};
  const Curve slow{.x = {0, 1, 2, 3, 4}, .mean = {1, 0.8, 0.6, 0.4, 0.2}};

  EXPECT_DOUBLE_EQ(speedup(fast, slow), 4);
  EXPECT_DOUBLE_EQ(speedup(slow, fast), 0.25);
  EXPECT_DOUBLE_EQ(speedup(slow, slow), 1);
}

TEST(Speedup, LooksNoFurtherThanWhereItCounts) {
  const Curve fast{.x = {0, 1, 2, 3, 4}, .mean = {1, 0.01, 0.002, 0.002, 0.002}};
  const Curve better_in_the_end{.x = {0, 1, 2, 3, 4}, .mean = {1, 0.1, 0.01, 0.005, 0.001}};

  EXPECT_DOUBLE_EQ(speedup(fast, better_in_the_end), 2);
}

TEST(Speedup, TakesARunThatHasNotBegunForTheSlower) {
  const Curve begun{.x = {0, 1, 2, 3, 4}, .mean = {1, 1, 0.9, 0.8, 0.7}};
  const Curve waiting{.x = {0, 1, 2, 3, 4}, .mean = {1, 1, 1, 1, 1}};

  EXPECT_DOUBLE_EQ(speedup(begun, waiting), 2);
  EXPECT_DOUBLE_EQ(speedup(waiting, begun), 0.5);
}

TEST(LargestRise, IsOfTheSquaredErrorRelativeToTheNorm) {
  const Trace rising{.seconds = {0, 1, 2}, .flops = {0, 1, 2}, .error = {5, 3, 4}};

  EXPECT_DOUBLE_EQ(largest_rise(rising, 10), 7.0 / 100);
  EXPECT_EQ(largest_rise(kFast, 10), 0);
}

}  // namespace
}  // namespace anmf::cli
