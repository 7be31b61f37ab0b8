// SPDX-License-Identifier: MIT
// Data at the edge: zeros, single rows, too many components, denormals. Finite and sensible results, never
// an exception; and errors, before any work, for what is not a nonnegative matrix.
#include <gtest/gtest.h>

#include <limits>

#include "support/problems.h"

namespace anmf::test::degenerate_properties {
namespace {

// From a start much larger than M the first sweep of HALS makes whole columns of W zero.
TEST(LostComponents, StayLostOnlyIfTheyAreNotRevived) {
  const Matrix<double> M = planted(30, 20, 4, 91, 0.01);
  const DenseData<double> data(M.view());
  Start<double> start{.W = random_matrix(30, 4, 92), .H = random_matrix(4, 20, 93)};
  for (double& x : start.H->values()) x *= 100;
  Options options{.rank = 4, .method = "hals", .max_iterations = 1};
  const auto zero_columns = [&] {
    const Result<double> result = factorize(data, options, start);
    Index zeros = 0;
    for (Index p = 0; p < 4; ++p) {
      double sum = 0;
      for (Index i = 0; i < 30; ++i) sum += result.W(i, p);
      zeros += static_cast<Index>(sum == 0);
    }
    return zeros;
  };
  EXPECT_EQ(zero_columns(), 0);
  options.revive = false;
  EXPECT_GT(zero_columns(), 0);
}

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

class Degenerate : public testing::TestWithParam<std::string> {
 protected:
  /// Dense, sparse and single-precision runs: all finite, and the reported error is the true one.
  void expect_sensible(const Matrix<double>& M, Index rank, double largest_relative_error) {
    Options options{.rank = rank, .method = GetParam(), .seed = 3, .max_iterations = 200, .tolerance = 1e-12};
    const double norm = frobenius(M);
    for (const bool sparse : {false, true}) {
      SCOPED_TRACE(sparse ? "sparse" : "dense");
      const Result<double> result =
          sparse ? factorize<double>(*to_sparse(M), options) : factorize_dense(M, options);
      EXPECT_TRUE(finite_and_nonnegative(result.W));
      EXPECT_TRUE(finite_and_nonnegative(result.H));
      EXPECT_NEAR(result.error, direct_error(M, result), 1e-7 * norm + 1e-28);
      EXPECT_LE(result.relative_error, largest_relative_error);
      EXPECT_TRUE(std::isfinite(result.kkt));
    }
    Matrix<float> narrow(M.rows(), M.cols());
    for (Index k = 0; k < M.size(); ++k) narrow.data()[k] = static_cast<float>(M.data()[k]);
    const Result<float> single = factorize_dense(narrow, options);
    EXPECT_TRUE(finite_and_nonnegative(single.W));
    EXPECT_TRUE(finite_and_nonnegative(single.H));
    EXPECT_LE(single.relative_error, largest_relative_error + 1e-3);
  }
};

TEST_P(Degenerate, ZeroRowsAndColumnsGetZeroFactors) {
  Matrix<double> M = product(random_matrix(20, 2, 1), random_matrix(2, 15, 2));
  for (Index j = 0; j < 15; ++j) M(4, j) = M(19, j) = 0;
  for (Index i = 0; i < 20; ++i) M(i, 0) = M(i, 7) = 0;
  const Options options{.rank = 2, .method = GetParam(), .max_iterations = 300};

  const Result<double> result = factorize_dense(M, options);

  for (Index p = 0; p < 2; ++p) {
    EXPECT_NEAR(result.W(4, p), 0, 1e-6);
    EXPECT_NEAR(result.H(p, 7), 0, 1e-6);
  }
  ASSERT_EQ(result.notes.size(), 1U);
  EXPECT_NE(result.notes[0].find("2 rows and 2 columns"), std::string::npos) << result.notes[0];
  expect_sensible(M, 2, 0.05);
}

TEST_P(Degenerate, AZeroMatrixGivesZeroError) {
  const Matrix<double> M(7, 5);
  expect_sensible(M, 2, 0);
}

TEST_P(Degenerate, OneByOneIsExact) {
  Matrix<double> M(1, 1, 3.5);
  expect_sensible(M, 1, 1e-9);
}

TEST_P(Degenerate, OneRowAndOneColumnAreExact) {
  expect_sensible(random_matrix(1, 9, 2), 1, 1e-9);
  expect_sensible(random_matrix(9, 1, 2), 1, 1e-9);
  expect_sensible(random_matrix(9, 1, 2), 2, 1e-6);
}

TEST_P(Degenerate, RankOneReachesTheBestRankOneFit) {
  const Matrix<double> M = random_matrix(12, 9, 3);
  // The best rank-one approximation is the leading singular pair, nonnegative by Perron and Frobenius.
  std::vector<double> v(9, 1.0);
  double sigma = 0;
  for (int step = 0; step < 200; ++step) {
    std::vector<double> u(12, 0.0);
    std::vector<double> next(9, 0.0);
    for (Index i = 0; i < 12; ++i) {
      for (Index j = 0; j < 9; ++j)
        u[static_cast<std::size_t>(i)] += M(i, j) * v[static_cast<std::size_t>(j)];
    }
    double squared = 0;
    for (Index j = 0; j < 9; ++j) {
      for (Index i = 0; i < 12; ++i)
        next[static_cast<std::size_t>(j)] += M(i, j) * u[static_cast<std::size_t>(i)];
      squared += next[static_cast<std::size_t>(j)] * next[static_cast<std::size_t>(j)];
    }
    sigma = std::sqrt(std::sqrt(squared));
    for (double& x : next) x /= std::sqrt(squared);
    v = next;
  }
  const double best = std::sqrt(std::pow(frobenius(M), 2) - sigma * sigma);

  const Result<double> result =
      factorize_dense(M, {.rank = 1, .method = GetParam(), .max_iterations = 500, .tolerance = 1e-10});

  EXPECT_NEAR(result.error, best, 1e-6 * best);
}

TEST_P(Degenerate, AsManyComponentsAsColumnsFitExactly) {
  const Matrix<double> M = random_matrix(30, 4, 4);
  const Options options{.rank = 4,
                        .method = GetParam(),
                        .seed = 1,
                        .max_iterations = 5000,
                        .tolerance = 1e-13,
                        .stop_rule = StopRule::gradient};
  const Result<double> result = factorize_dense(M, options);
  EXPECT_TRUE(finite_and_nonnegative(result.W));
  const bool exact_in_time = GetParam() == "hals" || GetParam() == "a-hals" || GetParam() == "anls";
  EXPECT_LT(result.relative_error, exact_in_time ? 1e-10 : 0.1);
}

TEST_P(Degenerate, MoreComponentsThanColumnsStayFinite) {
  expect_sensible(random_matrix(10, 4, 5), 6, 0.3);
  expect_sensible(random_matrix(4, 10, 6), 12, 0.3);
}

TEST_P(Degenerate, DuplicatedColumnsAndRowsAreHarmless) {
  Matrix<double> M = random_matrix(15, 12, 7);
  for (Index i = 0; i < 15; ++i) {
    for (Index j = 0; j < 12; ++j) M(i, j) = M(i % 5, j % 4);
  }
  expect_sensible(M, 6, 0.2);
}

TEST_P(Degenerate, DuplicatedStartComponentsDoNotBreakARun) {
  const Matrix<double> M = random_matrix(20, 12, 8);
  Start<double> start{random_matrix(20, 4, 9), random_matrix(4, 12, 10)};
  for (Index i = 0; i < 20; ++i) (*start.W)(i, 1) = (*start.W)(i, 0);
  for (Index j = 0; j < 12; ++j) (*start.H)(1, j) = (*start.H)(0, j);

  const Result<double> result =
      factorize_dense(M, {.rank = 4, .method = GetParam(), .max_iterations = 50}, start);

  EXPECT_TRUE(finite_and_nonnegative(result.W));
  EXPECT_LT(result.error, result.trace.front().error);
}

TEST_P(Degenerate, ZeroStartComponentsAreRevivedOrStayZero) {
  const Matrix<double> M = random_matrix(20, 12, 11);
  Start<double> start{random_matrix(20, 3, 12), random_matrix(3, 12, 13)};
  for (Index i = 0; i < 20; ++i) (*start.W)(i, 1) = 0;
  for (Index j = 0; j < 12; ++j) (*start.H)(1, j) = 0;

  const Result<double> result =
      factorize_dense(M, {.rank = 3, .method = GetParam(), .max_iterations = 300}, start);

  EXPECT_TRUE(finite_and_nonnegative(result.W));
  EXPECT_NEAR(result.error, direct_error(M, result), 1e-9 * frobenius(M));
  if (GetParam() == "hals" || GetParam() == "a-hals" || GetParam() == "anls") {
    double w = 0;
    double h = 0;
    for (Index i = 0; i < 20; ++i) w += result.W(i, 1);
    for (Index j = 0; j < 12; ++j) h += result.H(1, j);
    EXPECT_GT(w * h, 1) << "the dead component should take part in the fit";
  }
}

TEST_P(Degenerate, DenormalsAndMixedScalesStayFinite) {
  Matrix<double> M = random_matrix(12, 8, 14);
  M(3, 3) = 1e-310;
  M(5, 5) = std::numeric_limits<double>::denorm_min();
  expect_sensible(M, 3, 0.6);
}

TEST_P(Degenerate, AMatrixOfDenormalsOrOfHugeNumbersIsFittedLikeAnyOther) {
  const Matrix<double> M = random_matrix(12, 8, 15);
  const Options options{.rank = 3, .method = GetParam(), .max_iterations = 50, .tolerance = 0};
  const double base = factorize_dense(M, options).relative_error;
  // The steps of PG are powers of ten, the internal scale is a power of four: nearly the same path.
  const double tolerance = find_method(GetParam()).rule.name == "pg" ? 1e-4 : 1e-6;
  for (const double c : {1e-300, 1e300}) {
    Matrix<double> scaled = M;
    for (double& x : scaled.values()) x *= c;
    const Result<double> result = factorize_dense(scaled, options);
    EXPECT_NEAR(result.relative_error, base, tolerance) << c;
    EXPECT_TRUE(finite_and_nonnegative(result.W));
    EXPECT_NEAR(result.error / c, base * frobenius(M), tolerance * frobenius(M)) << c;
  }
  Matrix<double> denormal = M;
  for (double& x : denormal.values()) x *= 1e-318;
  const Result<double> result = factorize_dense(denormal, options);
  EXPECT_TRUE(finite_and_nonnegative(result.W));
  EXPECT_LT(result.relative_error, 0.6);
}

TEST_P(Degenerate, FloatsNearTheEndsOfTheirRangeAreFittedLikeAnyOther) {
  const Matrix<float> M = planted<float>(40, 30, 3, 18, 0.1);
  const Options options{.rank = 3, .method = GetParam(), .max_iterations = 50, .tolerance = 0};
  const double base = factorize_dense(M, options).relative_error;
  for (const double c : {0x1p-90, 0x1p120}) {
    Matrix<float> scaled = M;
    for (float& x : scaled.values()) x = static_cast<float>(static_cast<double>(x) * c);
    const Result<float> result = factorize_dense(scaled, options);
    EXPECT_NEAR(result.relative_error, base, 0.02 * base) << c;
    EXPECT_TRUE(finite_and_nonnegative(result.W));
  }
}

TEST_P(Degenerate, AnExactFitOfExtremeNumbersHasATrueError) {
  Matrix<double> M = planted(20, 15, 2, 19, 0);
  for (double& x : M.values()) x *= 1e120;
  const Options options{.rank = 2, .method = GetParam(), .seed = 1, .max_iterations = 300, .tolerance = 0};
  const Result<double> result = factorize_dense(M, options);
  // Where the fit is not close the error comes from a difference, which costs it digits.
  const double tolerance = result.relative_error < 1e-5 ? 1e-12 : 1e-14 / result.relative_error;
  EXPECT_NEAR(result.error / 1e120, direct_error(M, result) / 1e120, tolerance);
}

TEST_P(Degenerate, AConstantMatrixConvergesByRelativeChange) {
  const Options options{
      .rank = 1, .method = GetParam(), .max_iterations = 500, .tolerance = 0, .change_tolerance = 1e-12};
  const Result<double> result = factorize_dense(Matrix<double>(3, 3, 2.0), options);
  EXPECT_EQ(result.status, Status::converged);
  EXPECT_LT(result.relative_error, 1e-6);
}

TEST_P(Degenerate, AHugePenaltyDrivesTheFactorsToZeroWithoutNaN) {
  const Matrix<double> M = random_matrix(10, 8, 16);
  for (const double l1_ratio : {0.0, 0.5, 1.0}) {
    const Result<double> result = factorize_dense(
        M, {.rank = 3, .method = GetParam(), .max_iterations = 100, .alpha_W = 1e6, .l1_ratio = l1_ratio});
    EXPECT_TRUE(finite_and_nonnegative(result.W));
    EXPECT_TRUE(finite_and_nonnegative(result.H));
    EXPECT_NEAR(result.relative_error, 1, 1e-3);
  }
}

// The pair of zeros is the minimum, and it is one step away.
TEST_P(Degenerate, AHugePenaltyConvergesAtOnceAndItsGradientVanishes) {
  const Matrix<double> M = random_matrix(30, 20, 16);
  for (const double alpha : {1.0, 10.0, 1e6}) {
    for (const double l1_ratio : {0.5, 1.0}) {
      const Result<double> result = factorize_dense(M, {.rank = 3,
                                                        .method = GetParam(),
                                                        .max_iterations = 20,
                                                        .tolerance = 1e-4,
                                                        .stop_rule = StopRule::gradient,
                                                        .alpha_W = alpha,
                                                        .l1_ratio = l1_ratio});
      EXPECT_EQ(result.status, Status::converged) << alpha << ", " << l1_ratio << ": " << result.message;
      EXPECT_LT(result.kkt, 1e-12) << alpha << ", " << l1_ratio;
    }
  }
}

// Some components are not worth their penalty: they end as zeros in both factors.
TEST_P(Degenerate, ComponentsThatAPenaltyWantsGoneAreGoneFromBothFactors) {
  const Matrix<double> M = random_matrix(30, 20, 16);
  const Result<double> result = factorize_dense(M, {.rank = 3,
                                                    .method = GetParam(),
                                                    .max_iterations = 3000,
                                                    .tolerance = 1e-4,
                                                    .stop_rule = StopRule::gradient,
                                                    .alpha_W = 0.1,
                                                    .l1_ratio = 1});
  EXPECT_EQ(result.status, Status::converged) << result.message;
  EXPECT_LT(result.kkt, 1e-4);
}

TEST_P(Degenerate, BadEntriesAreNamedBeforeAnyWork) {
  for (const double bad : {kNaN, kInf, -kInf, -1e-300}) {
    Matrix<double> M = random_matrix(6, 5, 17);
    M(2, 3) = bad;
    const auto message = [&](const auto& make) -> std::string {
      try {
        make();
      } catch (const InvalidInput& error) {
        return error.what();
      }
      return "no error";
    };
    EXPECT_NE(message([&] { const DenseData<double> data(M.view()); }).find("M[2, 3]"), std::string::npos);
    EXPECT_NE(message([&] { (void)to_sparse(M); }).find("M[2, 3]"), std::string::npos);
    Start<double> start{random_matrix(6, 2, 1), random_matrix(2, 5, 2)};
    (*start.H)(1, 4) = bad;
    EXPECT_NE(message([&] {
                (void)factorize_dense(random_matrix(6, 5, 17), {.rank = 2, .method = GetParam()}, start);
              }).find("H[1, 4]"),
              std::string::npos);
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, Degenerate, testing::ValuesIn(method_names()),
                         [](const auto& test) { return identifier(test.param); });

}  // namespace
}  // namespace anmf::test::degenerate_properties
