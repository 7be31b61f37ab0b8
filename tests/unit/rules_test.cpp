// SPDX-License-Identifier: MIT
// One sweep over X (N x r) for G (r x r) and C (N x r), against the naive oracle.
#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>
#include <vector>

#include "core/cost_model.h"
#include "rules/rule_table.h"
#include "support/problems.h"

namespace anmf::test::rules_test {
namespace {

constexpr Rule kSweeps[] = {kMu, kHals, kPg};  // bpp is exact
constexpr double kDelta = 1e-12;

template <class T>
struct Problem {
  Matrix<T> X, G, C;
  std::vector<T> linear = std::vector<T>(static_cast<std::size_t>(X.cols()));
  double gradient_tolerance = 0;

  [[nodiscard]] HalfStep<T> half(ThreadPool& pool) const {
    return {G.view(), C.view(), linear, gradient_tolerance, {pool}};
  }
};

/// Random, with zeros in X and in C, where the last row is all zero. One column of the fixed factor is zero
/// if `dead` names one.
template <class T>
Problem<T> random_problem(Index rows, Index r, std::uint64_t seed, double l1 = 0, Index dead = -1) {
  Matrix<T> fixed = random_matrix<T>(r + 3, r, seed);
  for (Index j = 0; dead >= 0 && j < r + 3; ++j) fixed(j, dead) = T{0};
  Problem<T> problem{.X = random_matrix<T>(rows, r, seed + 1, 0.2),
                     .G = product(transposed(fixed), fixed),
                     .C = product(random_matrix<T>(rows, r + 3, seed + 2, 0.5), fixed),
                     .linear = rising<T>(r, l1)};
  for (Index p = 0; p < r; ++p) problem.C(rows - 1, p) = T{0};
  return problem;
}

/// One variable: X = x, G = g, C = c.
Problem<double> scalar_problem(double x, double g, double c, double l1 = 0) {
  return {Matrix<double>(1, 1, x), Matrix<double>(1, 1, g), Matrix<double>(1, 1, c), {l1}};
}

/// The oracle's sweep; returns its flops. `step_size` is carried by pg.
template <class T>
double naive_sweep(const Rule& kind, const Problem<T>& problem, naive::Mat& X, double& step_size) {
  const Index N = X.rows, r = X.cols;
  const naive::Mat G = to_naive(problem.G);
  naive::Mat C = to_naive(problem.C);
  const std::vector<double> linear(problem.linear.begin(), problem.linear.end());
  if (kind.name == "mu") {
    naive::mu_update(X, C, G, linear, 0, static_cast<double>(static_cast<T>(kDelta)));
    return static_cast<double>(2 * N * r * r + 2 * N * r);
  }
  for (Index i = 0; i < N; ++i) {
    for (Index p = 0; p < r; ++p) C(i, p) -= linear[static_cast<std::size_t>(p)];
  }
  if (kind.name == "hals") {
    naive::hals_update(X, C, G);
    return static_cast<double>(2 * N * r * r + N * r);
  }
  const Index trials = naive::line_search(X, naive::gradient(X, C, G), G, step_size);
  return static_cast<double>(2 * N * r * r + trials * (2 * N * r * r + 2 * N * r));
}

/// One sweep whose result is in X.
template <class T>
SweepReport sweep_once(UpdateRule<T>& rule, const HalfStep<T>& half, MatrixView<T> X) {
  const SweepReport report = rule.sweep(half, X);
  rule.end_half(half, X);
  return report;
}

/// A half-step of one sweep.
template <class T>
SweepReport one_sweep(const Rule& kind, const HalfStep<T>& half, MatrixView<T> X) {
  const auto rule = make_rule<T>(kind, kDelta);
  rule->begin_half(half, X);
  return sweep_once(*rule, half, X);
}

template <class T>
void begin(UpdateRule<T>& rule, Problem<T>& problem) {
  ThreadPool pool(1);
  rule.begin_half(problem.half(pool), problem.X.view());
}

template <class T>
SweepReport sweep(UpdateRule<T>& rule, Problem<T>& problem) {
  ThreadPool pool(1);
  return sweep_once(rule, problem.half(pool), problem.X.view());
}

template <class T>
class Rules : public testing::Test {
 protected:
  static constexpr double kEpsilon = static_cast<double>(std::numeric_limits<T>::epsilon());

  /// Two sweeps of both, so that what pg carries from one to the next counts too.
  void compare(const Rule& kind, Problem<T> problem) {
    const double tolerance = kEpsilon * static_cast<double>(2 * problem.X.cols());
    const auto rule = make_rule<T>(kind, kDelta);
    begin(*rule, problem);
    naive::Mat expected = to_naive(problem.X);
    double step_size = 1;
    for (int number = 1; number <= 2; ++number) {
      SCOPED_TRACE(testing::Message() << "rule " << kind.name << ", sweep " << number);
      const Matrix<T> before = problem.X;

      const double flops = naive_sweep(kind, problem, expected, step_size);
      const SweepReport report = sweep(*rule, problem);

      EXPECT_EQ(report.flops, flops);
      EXPECT_EQ(report.stationary, kind.name == "pg" && problem.X == before);
      double squared_step = 0;
      for (Index i = 0; i < before.rows(); ++i) {
        for (Index p = 0; p < before.cols(); ++p) {
          const auto x = static_cast<double>(problem.X(i, p));
          ASSERT_NEAR(x, expected(i, p), tolerance * (1 + expected(i, p))) << i << ", " << p;
          squared_step += std::pow(x - static_cast<double>(before(i, p)), 2);
        }
      }
      EXPECT_NEAR(std::sqrt(report.squared_step), std::sqrt(squared_step),
                  4 * kEpsilon * (frobenius(before) + frobenius(problem.X)));
    }
  }
};
using Floats = testing::Types<float, double>;
TYPED_TEST_SUITE(Rules, Floats);

TYPED_TEST(Rules, SweepLikeTheOracle) {
  for (const Index rows : {1, 3, 7, 8, 9, 65}) {
    for (const Index r : {1, 2, 5, 8, 11}) {
      for (const double l1 : {0.0, 0.5}) {
        SCOPED_TRACE(testing::Message() << rows << " x " << r << ", l1 = " << l1);
        for (const Rule& kind : kSweeps) this->compare(kind, random_problem<TypeParam>(rows, r, 91, l1));
      }
    }
  }
}

TYPED_TEST(Rules, SweepLikeTheOracleBesideAZeroColumnOfTheFixedFactor) {
  for (const Index dead : {0, 2, 4}) {
    for (const double l1 : {0.0, 0.5}) {
      for (const Rule& kind : kSweeps) this->compare(kind, random_problem<TypeParam>(9, 5, 92, l1, dead));
    }
  }
}

TYPED_TEST(Rules, GiveTheSameBitsForAnyNumberOfThreads) {
  using T = TypeParam;
  for (const Rule& kind : kRules) {
    SCOPED_TRACE(kind.name);
    std::vector<Problem<T>> solved;
    std::vector<SweepReport> reports;
    for (const int threads : {1, 2, 5}) {
      ThreadPool pool(threads);
      solved.push_back(random_problem<T>(1500, 7, 93));
      reports.push_back(one_sweep<T>(kind, solved.back().half(pool), solved.back().X.view()));
    }
    for (const std::size_t k : {1U, 2U}) {
      EXPECT_EQ(solved[k].X, solved[0].X);
      EXPECT_EQ(reports[k].squared_step, reports[0].squared_step);
      EXPECT_EQ(reports[k].flops, reports[0].flops);
    }
  }
}

TYPED_TEST(Rules, BlocksWithoutAnEarlyStopDoAsManySweeps) {
  using T = TypeParam;
  ThreadPool pool(2);
  for (const Rule& kind : kRules) {
    if (!kind.row_local) continue;
    for (const Index rows : {1, 47, 48, 49, 200}) {
      SCOPED_TRACE(testing::Message() << kind.name << ", " << rows << " rows");
      Problem<T> whole = random_problem<T>(rows, 5, 95, 0.1);
      Problem<T> blocks = whole;
      const auto rule = make_rule<T>(kind, kDelta);
      rule->begin_half(whole.half(pool), whole.X.view());
      double flops = 0;
      double first_step = 0;
      for (int number = 1; number <= 3; ++number) {
        const SweepReport report = rule->sweep(whole.half(pool), whole.X.view());
        flops += report.flops;
        if (number == 1) first_step = report.squared_step;
      }
      rule->end_half(whole.half(pool), whole.X.view());

      BlockReport report;
      rule->sweep_blocks(blocks.half(pool), blocks.X.view(), {.budget = 3}, report);

      EXPECT_EQ(blocks.X, whole.X);
      EXPECT_EQ(report.row_sweeps, 3.0 * static_cast<double>(rows));
      EXPECT_DOUBLE_EQ(report.flops, flops);
      EXPECT_NEAR(report.first_squared_step, first_step, 1e-6 * first_step);
    }
  }
}

TYPED_TEST(Rules, ABlockStopsWhenItsOwnStepIsSmall) {
  using T = TypeParam;
  ThreadPool pool(2);
  Problem<T> problem = random_problem<T>(96, 4, 96);
  // The first block begins at its solution, so that a sweep moves it no more than rounding does.
  for (Index i = 0; i < 48; ++i) {
    for (Index p = 0; p < 4; ++p) {
      problem.X(i, p) = T{1};
      problem.C(i, p) = problem.G(p, 0) + problem.G(p, 1) + problem.G(p, 2) + problem.G(p, 3);
    }
  }
  const auto rule = make_hals<T>();
  const auto sweeps = [&](double usual) {
    Problem<T> copy = problem;
    const BlockStop stop{.budget = 1000, .epsilon = 0.1, .usual_squared_step_per_row = usual};
    BlockReport report;
    rule->sweep_blocks(copy.half(pool), copy.X.view(), stop, report);
    return report.row_sweeps / 48;
  };
  EXPECT_EQ(sweeps(1e6), 2);      // beside that nothing is worth a second sweep
  EXPECT_GT(sweeps(1e-4), 3);     // the second block goes on
  EXPECT_LT(sweeps(1e-4), 1001);  // the first does not
}

TYPED_TEST(Rules, HonourTheStrideOfX) {
  using T = TypeParam;
  ThreadPool pool(1);
  for (const Rule& kind : kRules) {
    SCOPED_TRACE(kind.name);
    Problem<T> problem = random_problem<T>(9, 3, 94);
    Matrix<T> wide(9, 5, T{-7});
    for (Index i = 0; i < 9; ++i) std::copy_n(problem.X.data() + 3 * i, 3, wide.data() + 5 * i);

    one_sweep<T>(kind, problem.half(pool), MatrixView<T>(wide.data(), 9, 3, 5));
    one_sweep<T>(kind, problem.half(pool), problem.X.view());

    Matrix<T> expected(9, 5, T{-7});
    for (Index i = 0; i < 9; ++i) std::copy_n(problem.X.data() + 3 * i, 3, expected.data() + 5 * i);
    EXPECT_EQ(max_difference(wide, expected), 0);
  }
}

TYPED_TEST(Rules, HalsLeavesACoordinateWithoutDiagonalAlone) {
  using T = TypeParam;
  Problem<T> problem = random_problem<T>(9, 4, 95, 0.5, 2);
  const Matrix<T> before = problem.X;

  sweep(*make_hals<T>(), problem);

  EXPECT_TRUE(finite_and_nonnegative(problem.X));
  EXPECT_NE(problem.X, before);
  for (Index i = 0; i < 9; ++i) EXPECT_EQ(problem.X(i, 2), before(i, 2));
}

TYPED_TEST(Rules, StayFiniteWhenEverythingButXIsZero) {
  using T = TypeParam;
  for (const Rule& kind : kRules) {
    for (const double l1 : {0.0, 0.5}) {
      SCOPED_TRACE(testing::Message() << "rule " << kind.name << ", l1 = " << l1);
      Problem<T> problem{random_matrix<T>(9, 3, 96), Matrix<T>(3, 3), Matrix<T>(9, 3), rising<T>(3, l1)};

      const SweepReport report = sweep(*make_rule<T>(kind, 0), problem);

      EXPECT_TRUE(finite_and_nonnegative(problem.X));
      EXPECT_TRUE(std::isfinite(report.squared_step));
    }
  }
}

TYPED_TEST(Rules, MuWithoutABoundKeepsZerosAndStaysFinite) {
  using T = TypeParam;
  Problem<T> problem = random_problem<T>(9, 4, 97);
  for (Index p = 0; p < 4; ++p) problem.X(4, p) = T{0};  // 0 / 0 in the whole row
  const Matrix<T> before = problem.X;

  sweep(*make_mu<T>(0), problem);

  EXPECT_TRUE(finite_and_nonnegative(problem.X));
  for (Index k = 0; k < before.size(); ++k)
    EXPECT_TRUE(before.data()[k] != T{0} || problem.X.data()[k] == T{0});
}

TYPED_TEST(Rules, MuRaisesEveryEntryToItsBound) {
  using T = TypeParam;
  Problem<T> problem = random_problem<T>(9, 4, 98);

  sweep(*make_mu<T>(0.125), problem);

  EXPECT_EQ(make_mu<T>(0.125)->lower_bound(), 0.125);
  for (const T x : problem.X.values()) EXPECT_GE(x, T{0.125});
  for (Index p = 0; p < 4; ++p) EXPECT_EQ(problem.X(8, p), T{0.125});  // a row of zeros in C
}

TYPED_TEST(Rules, DoWhatTheirRowsSay) {
  using T = TypeParam;
  ThreadPool pool(1);
  for (const Rule& row : kRules) {
    SCOPED_TRACE(row.name);
    const auto rule = make_rule<T>(row, 0.125);
    Problem<T> problem = random_problem<T>(60, 4, 99);
    const double least = row.sweep_flops(60, 4);

    const double flops = sweep(*rule, problem).flops;

    EXPECT_EQ(flops > least, row.flops_vary) << flops;
    EXPECT_GE(flops, least);
    EXPECT_EQ(rule->lower_bound(), row.clamps ? 0.125 : 0);
    EXPECT_EQ(one_sweep<T>(row, problem.half(pool), problem.X.view()).squared_step < 1e-8, row.exact);
    BlockReport report;
    const auto by_blocks = [&] {
      rule->sweep_blocks(problem.half(pool), problem.X.view(), {.budget = 2}, report);
    };
    if (row.row_local) {
      by_blocks();
      EXPECT_EQ(report.flops, 2 * least);
    } else {
      EXPECT_THROW(by_blocks(), std::logic_error);
    }
  }
}

TEST(RuleTable, NamesTheRulesAndMethodsThatHaveIt) {
  EXPECT_EQ(rules_that(&Rule::row_local), "hals and mu");
  EXPECT_EQ(rules_that(&Rule::exact), "bpp");
  EXPECT_EQ(methods_that(&Rule::clamps), "mu, a-mu and e-a-mu");
  EXPECT_EQ(methods_that(&Rule::knows_gradient), "pg and a-pg");
}

TEST(RuleTable, DoesNotMakeARuleWithoutARow) {
  EXPECT_THROW(static_cast<void>(make_rule<double>({.name = "halz"}, 0)), std::logic_error);
}

/// Sweeps once and returns how many steps were tried.
Index trials(UpdateRule<double>& rule, Problem<double>& problem) {
  const double flops = sweep(rule, problem).flops - cost::pg_gradient(1, 1);
  return static_cast<Index>(flops / cost::pg_trial(1, 1));
}

// One variable: a step s decreases enough while s G < 1.98. G = 1/16 allows 1 and 10, and 100 is too long.
TEST(ProjectedGradientSweep, GrowsItsStepUntilOneFailsAndTakesTheLastGoodOne) {
  Problem<double> problem = scalar_problem(1.0, 0.0625, 0.5625);  // g = -1/2

  EXPECT_EQ(trials(*make_pg<double>(), problem), 3);

  EXPECT_DOUBLE_EQ(problem.X(0, 0), 1 + 10 * 0.5);
}

// G = 64 allows 0.01 but neither 1 nor 0.1.
TEST(ProjectedGradientSweep, ShrinksItsStepUntilOneIsGood) {
  Problem<double> problem = scalar_problem(1.0, 64.0, 32.0);  // g = 32

  EXPECT_EQ(trials(*make_pg<double>(), problem), 3);

  EXPECT_DOUBLE_EQ(problem.X(0, 0), 1 - 0.01 * 32);
}

TEST(ProjectedGradientSweep, CarriesItsStepInsideAHalfOnly) {
  const auto rule = make_pg<double>();
  Problem<double> flat = scalar_problem(1.0, 0.0625, 0.5625);
  begin(*rule, flat);
  EXPECT_EQ(trials(*rule, flat), 3);  // 1, 10, 100 fails and is kept
  EXPECT_EQ(trials(*rule, flat), 2);  // 100 fails, 10
  EXPECT_EQ(trials(*rule, flat), 2);  // 10, 100 fails
  begin(*rule, flat);
  EXPECT_EQ(trials(*rule, flat), 3);

  Problem<double> steep = scalar_problem(1.0, 64.0, 32.0);
  begin(*rule, steep);
  EXPECT_EQ(trials(*rule, steep), 3);  // 1, 0.1, 0.01
  EXPECT_EQ(trials(*rule, steep), 2);  // 0.01, 0.1 fails
}

TEST(ProjectedGradientSweep, SaysSoWhereNoStepMovesX) {
  Problem<double> inside = scalar_problem(1, 1, 1);
  Problem<double> at_bound = scalar_problem(0, 1, 0, 1);
  EXPECT_TRUE(sweep(*make_pg<double>(), inside).stationary);
  EXPECT_TRUE(sweep(*make_pg<double>(), at_bound).stationary);
}

TEST(ProjectedGradientSweep, StopsGrowingWhenALongerStepEndsAtTheSamePoint) {
  Problem<double> problem = scalar_problem(0.5, 0.0, 0.0, 1.0);  // g = 1: every step ends at 0

  EXPECT_EQ(trials(*make_pg<double>(), problem), 2);

  EXPECT_EQ(problem.X(0, 0), 0);
}

TEST(ProjectedGradientSweep, LeavesXAloneWhenTwentyTrialsDoNotDecide) {
  for (const double g : {1e30, 1e-30}) {  // shrinking and growing
    Problem<double> problem = scalar_problem(1.0, g, 2 * g);
    const SweepReport report = sweep(*make_pg<double>(), problem);

    EXPECT_EQ(report.flops, cost::pg_gradient(1, 1) + 20 * cost::pg_trial(1, 1));
    EXPECT_EQ(report.squared_step, 0);
    EXPECT_EQ(problem.X(0, 0), 1);
  }
}

TEST(ProjectedGradientSweep, LeavesXAloneWhereItIsStationaryWithinTheTolerance) {
  Problem<double> problem = scalar_problem(1.0, 1.0, 1.5);  // g = -1/2
  problem.gradient_tolerance = std::nextafter(0.5, 1.0);
  const SweepReport report = sweep(*make_pg<double>(), problem);
  EXPECT_TRUE(report.stationary);
  EXPECT_EQ(report.squared_step, 0);
  EXPECT_EQ(report.flops, cost::pg_gradient(1, 1));
  EXPECT_EQ(problem.X(0, 0), 1);

  problem.gradient_tolerance = 0.5;  // reached but not below
  EXPECT_FALSE(sweep(*make_pg<double>(), problem).stationary);
  EXPECT_EQ(problem.X(0, 0), 1.5);
}

}  // namespace
}  // namespace anmf::test::rules_test
