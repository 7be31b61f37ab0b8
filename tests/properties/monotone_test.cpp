// SPDX-License-Identifier: MIT
// The objective never rises, for any method, alpha and epsilon, and it is what the factors say it is.
#include <gtest/gtest.h>

#include "support/problems.h"

namespace anmf::test::monotone_properties {
namespace {

class Monotone : public testing::TestWithParam<std::string> {};

/// Objective differences below this multiple of ||M||^2 are rounding (the cheap error formula).
constexpr double kNoise = 1e-13;

void expect_never_rises(const Result<double>& result, double norm) {
  for (std::size_t k = 1; k < result.trace.size(); ++k) {
    const auto objective = [](const IterationRecord& r) { return 0.5 * r.error * r.error + r.penalty; };
    ASSERT_LE(objective(result.trace[k]), objective(result.trace[k - 1]) + kNoise * norm * norm)
        << "at iteration " << k;
  }
}

TEST_P(Monotone, ObjectiveNeverRisesOnHundredsOfSmallProblems) {
  for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(sampled(300)); ++seed) {
    SCOPED_TRACE(seed);
    const auto pick = [&](std::uint64_t what, Index low, Index high) {
      return low + static_cast<Index>(uniform(seed, what, 0) * static_cast<double>(high - low + 1));
    };
    const Index rows = pick(1, 1, 25);
    const Index cols = pick(2, 1, 25);
    const double zeros = seed % 3 == 0 ? 0.8 : 0;
    const Matrix<double> M =
        seed % 5 == 4 ? planted(rows, cols, 2, seed, 0.01) : random_matrix(rows, cols, seed, zeros);
    Options options{
        .rank = pick(3, 1, 6), .method = GetParam(), .seed = seed, .max_iterations = 30, .tolerance = 0};
    options.alpha_W = seed % 4 == 1 ? 1e-3 : 0;
    options.l1_ratio = 0.5;
    if (options.method != "pg" && options.method != "anls") {
      constexpr double kAlphas[] = {0, 0.5, 3};
      constexpr double kEpsilons[] = {0, 0.01, 0.5};
      options.inner_stop = InnerStopMode::hybrid;
      options.alpha = kAlphas[seed % 3];
      options.epsilon = kEpsilons[(seed / 3) % 3];
    }

    const Result<double> result =
        seed % 2 == 0 ? factorize_dense(M, options) : factorize<double>(*to_sparse(M), options);

    expect_never_rises(result, frobenius(M));
    ASSERT_TRUE(finite_and_nonnegative(result.W));
    ASSERT_TRUE(finite_and_nonnegative(result.H));
    ASSERT_NEAR(result.error, direct_error(M, result), 1e-7 * frobenius(M) + 1e-40);
  }
}

TEST_P(Monotone, ReportedErrorEqualsTheErrorOfTheReturnedFactors) {
  const Matrix<double> M = random_matrix(50, 40, 1);
  Options options{.rank = 6, .method = GetParam(), .max_iterations = 15, .tolerance = 0};

  for (const Normalize normalize : {Normalize::none, Normalize::l1, Normalize::l2, Normalize::max}) {
    options.normalize = normalize;
    options.sort_components = normalize == Normalize::l2;
    const Result<double> result = factorize_dense(M, options);

    EXPECT_NEAR(result.error, direct_error(M, result), 1e-12 * frobenius(M)) << to_string(normalize);
    EXPECT_NEAR(result.relative_error, result.error / frobenius(M), 1e-15);
  }
}

TEST_P(Monotone, ExactDataIsFittedAndItsTinyErrorIsTrue) {
  const Matrix<double> M = planted(40, 30, 3, 5, 0);
  const Options options{
      .rank = 3, .method = GetParam(), .seed = 2, .max_iterations = 2000, .tolerance = 1e-9};

  const Result<double> result = factorize_dense(M, options);

  // MU crawls; the others end far below the cancellation level of the cheap error formula.
  EXPECT_LT(result.relative_error, find_method(GetParam()).rule.name == "mu" ? 2e-2 : 1e-6);
  EXPECT_NEAR(std::pow(result.error, 2), std::pow(direct_error(M, result), 2),
              1e-14 * std::pow(frobenius(M), 2));
  if (result.relative_error < 1e-6) {
    EXPECT_NEAR(result.error, direct_error(M, result), 1e-14 * frobenius(M));
  }
}

TEST_P(Monotone, PenaltyAndFitAreReportedApart) {
  const Matrix<double> M = random_matrix(20, 15, 6);
  Options options{.rank = 3, .method = GetParam(), .max_iterations = 10, .tolerance = 0};
  options.alpha_W = 0.01;
  options.alpha_H = 0.02;
  options.l1_ratio = 0.25;

  const Result<double> result = factorize_dense(M, options);

  double expected = 0;
  for (const double w : result.W.values()) expected += 15 * 0.01 * (0.25 * w + 0.75 * 0.5 * w * w);
  for (const double h : result.H.values()) expected += 20 * 0.02 * (0.25 * h + 0.75 * 0.5 * h * h);
  EXPECT_NEAR(result.penalty, expected, 1e-12 * expected);
  EXPECT_NEAR(result.error, direct_error(M, result), 1e-12 * frobenius(M));
}

TEST_P(Monotone, StrongerPenaltiesGiveSmallerFactors) {
  const Matrix<double> M = random_matrix(30, 25, 8);
  Options options{.rank = 4, .method = GetParam(), .max_iterations = 200};
  double previous = HUGE_VAL;
  for (const double alpha : {0.0, 1e-3, 1e-2}) {
    options.alpha_W = alpha;
    options.l1_ratio = 0.5;
    const Result<double> result = factorize_dense(M, options);
    const double size = frobenius(result.W) * frobenius(result.H);
    EXPECT_LT(size, previous) << alpha;
    previous = size;
  }
}

// With many more components than nonzeros most columns are tiny, and some entries beside them huge.
template <class T>
void expect_anls_never_rises_on_nearly_empty_matrices(double noise) {
  for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(sampled(6)); ++seed) {
    for (const Index size : {40, 100}) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << ", size " << size);
      Matrix<T> M(size, size * 3 / 4 + 2);
      for (Index k = 0; k < 12; ++k) {
        const auto pick = [&](std::uint64_t stream, Index count) {
          return static_cast<Index>(uniform(seed, stream, k) * static_cast<double>(count));
        };
        M(pick(1, M.rows()), pick(2, M.cols())) = static_cast<T>(uniform(seed, 3, k));
      }
      const Result<T> result = factorize<T>(*to_sparse(M), {.rank = size * 2 / 3,
                                                            .method = "anls",
                                                            .seed = seed,
                                                            .max_iterations = 12,
                                                            .tolerance = 0,
                                                            .threads = 1});
      for (std::size_t k = 1; k < result.trace.size(); ++k) {
        const auto squared = [&](std::size_t at) { return std::pow(result.trace[at].relative_error, 2); };
        ASSERT_LE(squared(k), squared(k - 1) + noise) << "at iteration " << k;
      }
      EXPECT_LT(result.relative_error, std::sqrt(noise));
    }
  }
}

TEST(NearlyEmpty, AnlsNeverRaisesTheErrorInFloats) {
  expect_anls_never_rises_on_nearly_empty_matrices<float>(1e-7);
}

TEST(NearlyEmpty, AnlsNeverRaisesTheErrorInDoubles) {
  expect_anls_never_rises_on_nearly_empty_matrices<double>(1e-15);
}

INSTANTIATE_TEST_SUITE_P(Methods, Monotone, testing::ValuesIn(method_names()),
                         [](const auto& test) { return identifier(test.param); });

}  // namespace
}  // namespace anmf::test::monotone_properties
