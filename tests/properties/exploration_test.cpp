// SPDX-License-Identifier: MIT
// A run that looks for a lower minimum finds it where there is one, and otherwise loses nothing.
#include <gtest/gtest.h>

#include <cmath>

#include "support/problems.h"

namespace anmf::test::exploration_properties {
namespace {

constexpr Index kBlock = 8;

/// Three blocks of 8 x 8 ones on the diagonal: rank 3.
Matrix<double> three_blocks() {
  Matrix<double> M(3 * kBlock, 3 * kBlock);
  for (Index i = 0; i < M.rows(); ++i) {
    for (Index j = i / kBlock * kBlock; j < (i / kBlock + 1) * kBlock; ++j) M(i, j) = 1;
  }
  return M;
}

/// Two components share the first block, one has the second, none the third. No half-step can change that:
/// the third block's gradient is zero everywhere.
Start<double> trap() {
  Matrix<double> W(3 * kBlock, 3);
  for (Index i = 0; i < 2 * kBlock; ++i) {
    W(i, 2) = i < kBlock ? 0 : 1;
    W(i, 0) = W(i, 1) = i < kBlock ? 1 : 0;
  }
  Matrix<double> H = transposed(W);
  for (Index j = 0; j < kBlock; ++j) H(0, j) = 0.25, H(1, j) = 0.75;
  return {.W = W, .H = H};
}

class Explored : public testing::TestWithParam<std::string> {};

TEST_P(Explored, LeavesALocalMinimumForALowerOne) {
  const Matrix<double> M = three_blocks();
  Options options{
      .rank = 3, .method = GetParam(), .explore = Explore::off, .max_iterations = 400, .tolerance = 0};
  const Result<double> stuck = factorize_dense(M, options, trap());
  ASSERT_NEAR(stuck.error, static_cast<double>(kBlock), 1e-9);
  EXPECT_EQ(stuck.effective.explorations, 0);

  options.explore = Explore::on;
  const Result<double> result = factorize_dense(M, options, trap());

  EXPECT_LT(result.error, 0.01 * stuck.error);
  EXPECT_GE(result.effective.explorations, 1);
  EXPECT_GE(result.effective.lower_minima, 1);
  EXPECT_NEAR(result.error, direct_error(M, result), 1e-9 * frobenius(M));
  for (std::size_t k = 1; k < result.trace.size(); ++k) {
    ASSERT_LE(result.trace[k].error, result.trace[k - 1].error + 1e-12) << k;
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, Explored, testing::Values("e-a-hals", "a-hals", "anls"),
                         [](const auto& method) { return identifier(method.param); });

/// 130 iterations end in the middle of an attempt, whatever has been found.
Options interrupted() {
  return {.rank = 5, .method = "auto", .seed = 7, .max_iterations = 130, .tolerance = 0, .threads = 1};
}

TEST(Exploration, ReturnsTheBestPairWhereverItIsStopped) {
  const Matrix<double> M = planted(50, 40, 4, 71, 0.4);
  Options options = interrupted();
  for (options.max_iterations = 100; options.max_iterations < 140; ++options.max_iterations) {
    const Result<double> result = factorize_dense(M, options);
    ASSERT_GE(result.effective.explorations, 1);
    ASSERT_EQ(result.iterations, options.max_iterations);
    ASSERT_NEAR(result.error, direct_error(M, result), 1e-10 * frobenius(M)) << options.max_iterations;
    ASSERT_EQ(result.error, result.trace.back().error);
    ASSERT_TRUE(finite_and_nonnegative(result.W) && finite_and_nonnegative(result.H));
  }
}

TEST(Exploration, GivesTheSameBitsForAnyNumberOfThreads) {
  const Matrix<double> M = planted(50, 40, 4, 72, 0.4);
  Options options = interrupted();
  const Result<double> alone = factorize_dense(M, options);
  ASSERT_GE(alone.effective.explorations, 1);
  options.threads = 3;
  const Result<double> team = factorize_dense(M, options);
  EXPECT_EQ(team.W, alone.W);
  EXPECT_EQ(team.H, alone.H);
}

TEST(Exploration, BelongsToAutoAndEndsWhereTheToleranceSays) {
  const Matrix<double> M = planted(50, 40, 4, 73, 0.4);
  Options options = interrupted();
  options.method = "e-a-hals";
  EXPECT_EQ(factorize_dense(M, options).effective.explorations, 0);

  options = interrupted();
  options.tolerance = 1e-3;
  const Result<double> converged = factorize_dense(M, options);
  EXPECT_EQ(converged.status, Status::converged);
  EXPECT_EQ(converged.effective.explorations, 0);
}

TEST(Exploration, LeavesAnExactFitAlone) {
  const Matrix<double> M = three_blocks();
  Options options = interrupted();
  options.rank = 3;
  Start<double> exact = trap();
  for (Index i = 0; i < M.rows(); ++i) {
    for (Index p = 0; p < 3; ++p) (*exact.W)(i, p) = (*exact.H)(p, i) = i / kBlock == p ? 1 : 0;
  }
  EXPECT_EQ(factorize_dense(M, options, exact).effective.explorations, 0);
}

}  // namespace
}  // namespace anmf::test::exploration_properties
