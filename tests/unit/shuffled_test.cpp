// SPDX-License-Identifier: MIT
// Sweeps in a random order: against naive ones in that order, and in whole runs.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "rules/update_rule.h"
#include "support/problems.h"

namespace anmf::test::shuffled_test {
namespace {

struct Problem {
  Matrix<double> X, G, C;
};

Problem random_problem(Index rows, Index r) {
  const Matrix<double> F = random_matrix(40, r, 301);
  return {random_matrix(rows, r, 302), product(transposed(F), F), product(random_matrix(rows, 40, 303), F)};
}

/// Two sweeps of HALS over the coordinates in this order.
Matrix<double> naive_sweeps(const Problem& problem, const std::vector<Index>& order,
                            const std::vector<double>& linear) {
  Matrix<double> X = problem.X;
  for (int sweep = 0; sweep < 2; ++sweep) {
    for (Index i = 0; i < X.rows(); ++i) {
      for (const Index p : order) {
        double gradient = linear[static_cast<std::size_t>(p)] - problem.C(i, p);
        for (Index q = 0; q < X.cols(); ++q) gradient += X(i, q) * problem.G(q, p);
        X(i, p) = std::max(0.0, X(i, p) - gradient / problem.G(p, p));
      }
    }
  }
  return X;
}

/// The order, of all there are, whose naive sweeps give X; empty if none does.
std::vector<Index> order_behind(const Problem& problem, const Matrix<double>& X,
                                const std::vector<double>& linear) {
  std::vector<Index> order(static_cast<std::size_t>(X.cols()));
  std::iota(order.begin(), order.end(), Index{0});
  do {
    if (max_difference(naive_sweeps(problem, order, linear), X) < 1e-10) return order;
  } while (std::next_permutation(order.begin(), order.end()));
  return {};
}

TEST(ShuffledHals, IsANaiveSweepInAnOrderThatChangesWithEveryHalfStep) {
  const std::vector<double> linear = rising(4, 0.3);
  const Problem problem = random_problem(60, 4);
  ThreadPool pool(2);
  const HalfStep<double> half{
      .gram = problem.G.view(), .cross = problem.C.view(), .linear = linear, .workers = {pool}};
  const auto rule = make_shuffled<double>(make_hals<double>(), 11);
  std::set<std::vector<Index>> orders;
  for (int number = 0; number < 12; ++number) {
    Matrix<double> X = problem.X;
    if (number % 2 == 0) {
      rule->begin_half(half, X.view());
      (void)rule->sweep(half, X.view());
      (void)rule->sweep(half, X.view());
      rule->end_half(half, X.view());
    } else {
      BlockReport report;
      rule->sweep_blocks(half, X.view(), {.budget = 2}, report);
    }

    const std::vector<Index> order = order_behind(problem, X, linear);
    ASSERT_FALSE(order.empty()) << "half-step " << number;
    orders.insert(order);
  }
  EXPECT_GT(orders.size(), 6U);
}

TEST(ShuffledHals, TakesEveryOrderAboutEquallyOften) {
  const Problem problem = random_problem(5, 3);
  ThreadPool pool(1);
  const std::vector<double> none(3);
  const HalfStep<double> half{
      .gram = problem.G.view(), .cross = problem.C.view(), .linear = none, .workers = {pool}};
  const auto rule = make_shuffled<double>(make_hals<double>(), 12);
  std::map<std::vector<Index>, int> counts;
  for (int number = 0; number < 1200; ++number) {
    Matrix<double> X = problem.X;
    BlockReport report;
    rule->sweep_blocks(half, X.view(), {.budget = 2}, report);
    ++counts[order_behind(problem, X, none)];
  }
  ASSERT_EQ(counts.size(), 6U);
  for (const auto& [order, count] : counts) {
    EXPECT_FALSE(order.empty());
    EXPECT_NEAR(count, 200, 60);
  }
}

class Shuffled : public testing::TestWithParam<const char*> {
 protected:
  static Options options(Index rank, bool shuffle, int threads = 1) {
    return {.rank = rank,
            .method = GetParam(),
            .seed = 4,
            .max_iterations = 25,
            .tolerance = 0,
            .shuffle = shuffle,
            .threads = threads};
  }
};

TEST_P(Shuffled, RunsNeverRiseAndDifferFromOthers) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    const Matrix<double> M = random_matrix(30, 20, 310 + seed, seed % 2 == 0 ? 0 : 0.7);
    Options shuffled = options(5, true);
    shuffled.alpha_W = seed % 3 == 1 ? 1e-3 : 0;
    shuffled.l1_ratio = 0.5;
    Options plain = shuffled;
    plain.shuffle = false;

    const Result<double> result = factorize_dense(M, shuffled);

    for (std::size_t k = 1; k < result.trace.size(); ++k) {
      const auto objective = [](const IterationRecord& r) { return 0.5 * r.error * r.error + r.penalty; };
      ASSERT_LE(objective(result.trace[k]),
                objective(result.trace[k - 1]) + 1e-13 * std::pow(frobenius(M), 2));
    }
    EXPECT_NEAR(result.error, direct_error(M, result), 1e-9 * frobenius(M));
    EXPECT_NE(result.W, factorize_dense(M, plain).W);
    EXPECT_TRUE(result.notes.empty());
  }
}

TEST_P(Shuffled, RunsWithOneComponentAreAsWithout) {
  const Matrix<double> M = random_matrix(60, 50, 311);
  const Result<double> plain = factorize_dense(M, options(1, false));
  const Result<double> shuffled = factorize_dense(M, options(1, true));
  EXPECT_EQ(shuffled.W, plain.W);
  EXPECT_EQ(shuffled.H, plain.H);
}

TEST_P(Shuffled, RunsHaveTheSameBitsForAnyNumberOfThreads) {
  const Matrix<double> M = random_matrix(1500, 90, 312);
  const Result<double> one = factorize_dense(M, options(6, true, 1));
  for (const int threads : {2, 3, 4}) {
    const Result<double> several = factorize_dense(M, options(6, true, threads));
    EXPECT_EQ(several.W, one.W);
    EXPECT_EQ(several.H, one.H);
  }
}

TEST_P(Shuffled, RunsMayBeginOnACompression) {
  const Matrix<double> M = planted(90, 80, 4, 313, 0.1);
  Options compressed = options(4, true);
  compressed.compress = Compress::on;
  const Result<double> result = factorize_dense(M, compressed);
  EXPECT_GT(result.effective.compressed_iterations, 0);
  EXPECT_NEAR(result.error, direct_error(M, result), 1e-9 * frobenius(M));
}

INSTANTIATE_TEST_SUITE_P(Methods, Shuffled, testing::Values("hals", "a-hals", "e-a-hals"),
                         [](const auto& test) { return identifier(test.param); });

TEST(ShuffleOption, HasNoEffectOnOtherRulesWhichANoteSays) {
  const Matrix<double> M = random_matrix(12, 10, 314);
  for (const char* method : {"mu", "a-pg", "anls"}) {
    const Options plain{.rank = 3, .method = method, .max_iterations = 5};
    Options shuffled = plain;
    shuffled.shuffle = true;

    const Result<double> result = factorize_dense(M, shuffled);

    EXPECT_EQ(result.W, factorize_dense(M, plain).W);
    ASSERT_EQ(result.notes.size(), 1U);
    EXPECT_EQ(result.notes[0].find("shuffle has no effect: "), 0U);
  }
}

}  // namespace
}  // namespace anmf::test::shuffled_test
