// SPDX-License-Identifier: MIT
#include "outer/extrapolation.h"

#include <gtest/gtest.h>

namespace anmf::test::extrapolation_test {
namespace {

Matrix<double> column(std::initializer_list<double> values) {
  Matrix<double> result(static_cast<Index>(values.size()), 1);
  std::copy(values.begin(), values.end(), result.data());
  return result;
}

TEST(ExtrapolationWeight, IsZeroUntilAnIterationWasAccepted) {
  ExtrapolationWeight weight;
  EXPECT_EQ(weight.beta(), 0);
  weight.accepted();
  EXPECT_EQ(weight.beta(), 0.5);
}

TEST(ExtrapolationWeight, GrowsSlowlyUpToOne) {
  ExtrapolationWeight weight;
  weight.accepted();
  weight.accepted();
  EXPECT_DOUBLE_EQ(weight.beta(), 0.505);
  for (int k = 0; k < 100; ++k) weight.accepted();
  EXPECT_EQ(weight.beta(), 1);
}

TEST(ExtrapolationWeight, ShrinksAfterARejectionAndMayNotPassTheLastGoodValueSoon) {
  ExtrapolationWeight weight;
  for (int k = 0; k < 3; ++k) weight.accepted();  // 0.5, 0.505, now 0.51005
  weight.rejected();
  EXPECT_DOUBLE_EQ(weight.beta(), 0.51005 / 1.5);
  // The limit is the last accepted weight, and grows by half a percent in every accepted iteration.
  double limit = 0.505;
  for (int k = 0; k < 200; ++k) {
    weight.accepted();
    EXPECT_LE(weight.beta(), limit * (1 + 1e-14));
    limit = std::min(1.0, limit * 1.005);
  }
  EXPECT_DOUBLE_EQ(weight.beta(), 1);
}

class Steps : public testing::Test {
 protected:
  /// One accepted iteration from a to b, so that weights are at work.
  void begin(Extrapolation<double>& extrapolation, Matrix<double> first, Matrix<double> second) {
    extrapolation.extrapolate_first(first, 0, first.rows(), pool_);
    extrapolation.accept(first, second, pool_);
  }

  ThreadPool pool_{1};
};

TEST_F(Steps, TheFirstFactorIsProjectedAndTheSecondIsNot) {
  Extrapolation<double> extrapolation(column({1, 1}), column({1, 1}), 0);
  begin(extrapolation, column({1, 1}), column({1, 1}));

  Matrix<double> first = column({3, 0});
  Matrix<double> second = column({3, 0});
  extrapolation.extrapolate_first(first, 0, first.rows(), pool_);
  EXPECT_EQ(first, column({4, 0}));  // 0 - 0.5 is projected
  extrapolation.accept(first, second, pool_);
  EXPECT_EQ(second, column({4, -0.5}));

  EXPECT_EQ(extrapolation.best_first(), column({4, 0}));
  EXPECT_EQ(extrapolation.best_second(), column({3, 0}));
}

TEST_F(Steps, OnlyGrowthIsExtrapolatedForARuleThatCannotLeaveZero) {
  Extrapolation<double> extrapolation(column({1, 1}), column({1, 1}), 1);
  begin(extrapolation, column({1, 1}), column({1, 1}));

  Matrix<double> first = column({3, 0.5});
  Matrix<double> second = column({0.25, 2});
  extrapolation.extrapolate_first(first, 0, first.rows(), pool_);
  extrapolation.accept(first, second, pool_);

  EXPECT_EQ(first, column({4, 0.5}));
  EXPECT_EQ(second, column({0.25, 2.5}));
}

TEST_F(Steps, ARejectedIterationLeavesThePairAndTheBaseAsTheyWere) {
  Extrapolation<double> extrapolation(column({1}), column({1}), 0);
  begin(extrapolation, column({2}), column({3}));  // accepted as it is: the weight was 0

  Matrix<double> first = column({10});
  Matrix<double> second = column({20});
  extrapolation.extrapolate_first(first, 0, first.rows(), pool_);
  EXPECT_EQ(first, column({14}));  // 10 + 0.5 (10 - 2)
  extrapolation.reject(first, second);

  EXPECT_EQ(first, column({2}));
  EXPECT_EQ(second, column({3}));
  EXPECT_EQ(extrapolation.best_first(), column({2}));
  EXPECT_EQ(extrapolation.best_second(), column({3}));
  extrapolation.extrapolate_first(first = column({5}), 0, 1, pool_);
  EXPECT_DOUBLE_EQ(first(0, 0), 5 + 0.5 / 1.5 * (5 - 2));
}

TEST_F(Steps, AStepThatReplacedAComponentIsNotExtrapolated) {
  Extrapolation<double> extrapolation(column({1}), column({1}), 0);
  begin(extrapolation, column({2}), column({3}));

  Matrix<double> first = column({4});
  Matrix<double> second = column({5});
  extrapolation.extrapolate_first(first, 0, first.rows(), pool_);
  extrapolation.forget_step();
  extrapolation.accept(first, second, pool_);
  EXPECT_EQ(second, column({5}));

  second = column({6});
  extrapolation.accept(first, second, pool_);
  EXPECT_NEAR(second(0, 0), 6 + 0.505 * (6 - 5), 1e-14);  // the next one is
}

TEST_F(Steps, AfterThreeRejectionsInARowGoBackToTheBestPairAndMakeAPlainIteration) {
  Extrapolation<double> extrapolation(column({1}), column({1}), 0);
  begin(extrapolation, column({2}), column({3}));
  Matrix<double> first = column({4});
  Matrix<double> second = column({5});
  extrapolation.extrapolate_first(first, 0, 1, pool_);
  extrapolation.accept(first, second, pool_);  // the base is (4, 5), the pair beside it (5, 5)

  for (int rejections = 1; rejections <= 3; ++rejections) {
    EXPECT_TRUE(extrapolation.active());
    EXPECT_FALSE(extrapolation.based_on_best());
    extrapolation.extrapolate_first(first, 0, 1, pool_);
    extrapolation.reject(first, second);
    EXPECT_EQ(first, column({rejections < 3 ? 4.0 : 5.0}));
    EXPECT_EQ(second, column({5}));
  }
  EXPECT_TRUE(extrapolation.based_on_best());
  EXPECT_FALSE(extrapolation.active());
  extrapolation.extrapolate_first(first = column({7}), 0, 1, pool_);
  EXPECT_EQ(first, column({7}));
  extrapolation.accept(first, second, pool_);
  EXPECT_FALSE(extrapolation.based_on_best());
  EXPECT_TRUE(extrapolation.active());
}

TEST_F(Steps, AreForgottenByARestart) {
  Extrapolation<double> extrapolation(column({1}), column({1}), 0);
  begin(extrapolation, column({2}), column({3}));
  Matrix<double> first = column({4});
  Matrix<double> second = column({5});
  extrapolation.extrapolate_first(first, 0, 1, pool_);
  extrapolation.restart(first = column({64}), second = column({0.5}));
  extrapolation.accept(first, second, pool_);
  EXPECT_EQ(second, column({0.5}));
  EXPECT_EQ(extrapolation.best_first(), column({64}));
  EXPECT_EQ(extrapolation.best_second(), column({0.5}));
  extrapolation.extrapolate_first(first, 0, 1, pool_);
  EXPECT_EQ(first, column({64}));  // no step since
}

}  // namespace
}  // namespace anmf::test::extrapolation_test
