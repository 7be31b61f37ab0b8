// SPDX-License-Identifier: MIT
#include "outer/exploration.h"

#include <gtest/gtest.h>

#include <cmath>

namespace anmf::test::exploration_test {
namespace {

using Step = Exploration::Step;

/// Feeds `count` equal roots and returns the last answer.
Step stand_still(Exploration& exploration, double root, int count) {
  Step step = Step::go_on;
  for (int k = 0; k < count; ++k) step = exploration.after(root);
  return step;
}

TEST(Exploration, SetsOutOnlyWhenTenIterationsBringNextToNothing) {
  Exploration slow;
  double root = 1;
  for (int k = 0; k < 100; ++k, root *= 1 - 3.1e-6) ASSERT_EQ(slow.after(root), Step::go_on);

  Exploration settled;
  root = 1;
  for (int k = 0; k < 10; ++k, root *= 1 - 2.9e-6) ASSERT_EQ(settled.after(root), Step::go_on);
  EXPECT_EQ(settled.after(root), Step::set_out);
  EXPECT_EQ(settled.attempts(), 1);
}

TEST(Exploration, GoesHomeAfterTwentyFiveIterationsThatEndNoLower) {
  Exploration exploration;
  ASSERT_EQ(stand_still(exploration, 1, 11), Step::set_out);
  EXPECT_EQ(stand_still(exploration, 0.5, 24), Step::go_on);  // what counts is where it ends
  EXPECT_EQ(exploration.after(1), Step::go_home);
  EXPECT_EQ(exploration.failures(), 1);
  EXPECT_EQ(exploration.successes(), 0);
  EXPECT_EQ(stand_still(exploration, 1, 10), Step::go_on);
  EXPECT_EQ(exploration.after(1), Step::set_out);
  EXPECT_EQ(exploration.attempts(), 2);
}

TEST(Exploration, StaysWhereItIsLower) {
  Exploration exploration;
  ASSERT_EQ(stand_still(exploration, 1, 11), Step::set_out);
  ASSERT_EQ(stand_still(exploration, 2, 24), Step::go_on);
  EXPECT_EQ(exploration.after(0.999), Step::stay);
  EXPECT_EQ(exploration.successes(), 1);
  EXPECT_EQ(exploration.failures(), 0);
}

/// Unit vectors but for the energies on the diagonal and one pair with cosine c.
Matrix<double> gram_with(std::initializer_list<double> diagonal, Index p = 0, Index q = 0, double c = 1) {
  Matrix<double> gram(static_cast<Index>(diagonal.size()), static_cast<Index>(diagonal.size()));
  Index k = 0;
  for (const double d : diagonal) gram(k, k) = d, ++k;
  if (p != q) gram(p, q) = gram(q, p) = c * std::sqrt(gram(p, p) * gram(q, q));
  return gram;
}

TEST(DispensableComponents, AreAFifthAndHaveTheLeastEnergyOfTheirOwn) {
  const Matrix<double> ones = gram_with({1, 1, 1, 1, 1, 1});
  const Matrix<double> energies = gram_with({6, 5, 1, 4, 2, 3});
  EXPECT_EQ(dispensable_components(energies, ones, 0), (std::vector<Index>{2, 4}));
  EXPECT_EQ(dispensable_components(energies, ones, 1), (std::vector<Index>{4, 5}));
  EXPECT_EQ(dispensable_components(energies, ones, 5), (std::vector<Index>{0, 2}));
  EXPECT_EQ(dispensable_components(energies, ones, 6), (std::vector<Index>{2, 4}));
  // 6 (1 - 0.95^2) = 0.585 and 5 (1 - 0.95^2) = 0.4875 are now less than 1.
  EXPECT_EQ(dispensable_components(energies, gram_with({1, 1, 1, 1, 1, 1}, 0, 1, 0.95), 0),
            (std::vector<Index>{1, 0}));
}

TEST(DispensableComponents, CountEmptyOnesFirstWithoutDividingByZero) {
  EXPECT_EQ(dispensable_components(gram_with({1, 1, 0}), gram_with({1, 1, 0}), 0), (std::vector<Index>{2}));
}

TEST(RandomisedColumn, HasTheNormAskedForAndLeavesTheOthersAlone) {
  Matrix<double> X(10'000, 3, 7.0);
  randomise_column(X, 1, 50.0, 1e-16, 3, 9);
  double squared = 0;
  for (Index i = 0; i < X.rows(); ++i) {
    ASSERT_EQ(X(i, 0), 7.0);
    ASSERT_EQ(X(i, 2), 7.0);
    ASSERT_GE(X(i, 1), 1e-16);
    squared += X(i, 1) * X(i, 1);
  }
  EXPECT_NEAR(squared, 50, 2);  // a mean of 10000 squares of uniform numbers, three deviations

  Matrix<double> other = X;
  randomise_column(other, 1, 50.0, 1e-16, 3, 10);
  EXPECT_NE(other(0, 1), X(0, 1));
  randomise_column(other, 1, 50.0, 1e-16, 3, 9);
  EXPECT_EQ(other, X);
}

}  // namespace
}  // namespace anmf::test::exploration_test
