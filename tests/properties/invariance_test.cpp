// SPDX-License-Identifier: MIT
// What must not change a result: threads, the scale of the data, transposition, the run before.
#include <gtest/gtest.h>

#include <cstring>

#include "support/problems.h"

namespace anmf::test::invariance_properties {
namespace {

class Invariance : public testing::TestWithParam<std::string> {
 protected:
  Options options(Index rank, Index iterations) const {
    return {.rank = rank,
            .method = GetParam(),
            .seed = 11,
            .max_iterations = iterations,
            .tolerance = 0,
            .threads = 1};
  }
};

template <class T>
void expect_same_bits_for_any_threads(const Data<T>& data, Options options) {
  options.threads = 1;
  const Result<T> one = factorize(data, options);
  for (const int threads : {2, 5}) {
    options.threads = threads;
    const Result<T> many = factorize(data, options);
    EXPECT_EQ(one.W, many.W) << threads << " threads";
    EXPECT_EQ(one.H, many.H) << threads << " threads";
    ASSERT_EQ(one.trace.size(), many.trace.size());
    for (std::size_t k = 0; k < one.trace.size(); ++k) EXPECT_EQ(one.trace[k].error, many.trace[k].error);
    EXPECT_EQ(one.kkt, many.kkt);
  }
}

TEST_P(Invariance, ThreadsDoNotChangeABitOfADenseRun) {
  const Matrix<double> tall = random_matrix(1100, 150, 1);
  const Matrix<double> wide = random_matrix(150, 700, 2);
  expect_same_bits_for_any_threads(DenseData<double>(tall.view()), options(7, 4));
  expect_same_bits_for_any_threads(DenseData<double>(wide.view()), options(7, 4));
}

TEST_P(Invariance, ThreadsDoNotChangeABitOfASparseRun) {
  const Matrix<double> M = random_matrix(900, 400, 3, 0.9);
  expect_same_bits_for_any_threads<double>(*to_sparse(M), options(6, 4));
}

TEST_P(Invariance, ThreadsDoNotChangeABitOfAFloatRun) {
  const Matrix<float> M = random_matrix<float>(800, 120, 4);
  expect_same_bits_for_any_threads(DenseData<float>(M.view()), options(5, 4));
}

TEST_P(Invariance, ScalingTheDataScalesTheRun) {
  const Matrix<double> M = random_matrix(40, 30, 5);
  const Result<double> base = factorize_dense(M, options(4, 20));
  // The clamp of MU is absolute: at the small end its floor of 1e-16 is no longer negligible beside factors
  // of size 1e-6, and an entry that is still above it elsewhere counts in the projected gradient.
  const std::string_view rule = find_method(GetParam()).rule.name;
  for (const double c : {1e-12, 1e-7, 1e-3, 3.0, 1e5, 1e12}) {
    SCOPED_TRACE(c);
    // The steps of PG are powers of ten from 1, so it follows for c a power of ten.
    if (rule == "pg" && c == 3.0) continue;
    Matrix<double> scaled = M;
    for (double& x : scaled.values()) x *= c;

    const Result<double> result = factorize_dense(scaled, options(4, 20));

    const double tolerance = rule == "mu" && c < 1e-6 ? 1e-7 : 1e-9;
    EXPECT_NEAR(result.relative_error, base.relative_error, tolerance);
    EXPECT_NEAR(result.kkt, base.kkt, rule == "mu" ? 0.01 : 1e-8);
    for (Index k = 0; k < base.W.size(); ++k) {
      ASSERT_NEAR(result.W.data()[k] / std::sqrt(c), base.W.data()[k], tolerance * max_entry(base.W));
    }
    for (Index k = 0; k < base.H.size(); ++k) {
      ASSERT_NEAR(result.H.data()[k] / std::sqrt(c), base.H.data()[k], tolerance * max_entry(base.H));
    }
  }
}

TEST_P(Invariance, ScalingFloatDataScalesTheRun) {
  const Matrix<float> M = random_matrix<float>(40, 30, 5);
  const Result<float> base = factorize_dense(M, options(4, 10));
  for (const double c : {1e-12, 1e-6, 1e6, 1e12}) {
    SCOPED_TRACE(c);
    Matrix<float> scaled = M;
    for (float& x : scaled.values()) x = static_cast<float>(static_cast<double>(x) * c);

    const Result<float> result = factorize_dense(scaled, options(4, 10));

    EXPECT_NEAR(result.relative_error, base.relative_error,
                find_method(GetParam()).rule.name == "pg" ? 2e-3 : 2e-4);
    EXPECT_TRUE(finite_and_nonnegative(result.W));
  }
}

TEST_P(Invariance, TransposingTheDataTransposesTheRun) {
  const Matrix<double> M = random_matrix(33, 20, 6);
  const Matrix<double> Mt = transposed(M);
  const Start<double> start{random_matrix(33, 4, 7), random_matrix(4, 20, 8)};
  const Start<double> swapped{transposed(*start.H), transposed(*start.W)};
  Options normal = options(4, 20);
  Options mirrored = normal;
  mirrored.first = Side::H;

  const Result<double> a = factorize_dense(M, normal, start);
  const Result<double> b = factorize_dense(Mt, mirrored, swapped);

  EXPECT_LT(max_difference(a.W, transposed(b.H)), 1e-9);
  EXPECT_LT(max_difference(a.H, transposed(b.W)), 1e-9);
  for (std::size_t k = 0; k < a.trace.size(); ++k) {
    EXPECT_EQ(a.trace[k].inner_w, b.trace[k].inner_h);
    EXPECT_EQ(a.trace[k].inner_h, b.trace[k].inner_w);
    EXPECT_DOUBLE_EQ(a.trace[k].flops, b.trace[k].flops);
    EXPECT_NEAR(a.trace[k].error, b.trace[k].error, 1e-9);
  }
}

TEST_P(Invariance, TheSameSeedGivesTheSameBitsAndAnotherSeedDoesNot) {
  const Matrix<double> M = random_matrix(30, 30, 9);
  const Matrix<double> copy = M;

  const Result<double> first = factorize_dense(M, options(3, 5));
  const Result<double> again = factorize_dense(M, options(3, 5));
  Options changed = options(3, 5);
  changed.seed = 12;
  const Result<double> different = factorize_dense(M, changed);

  EXPECT_EQ(first.W, again.W);
  EXPECT_NE(first.W, different.W);
  EXPECT_EQ(std::memcmp(M.data(), copy.data(), sizeof(double) * static_cast<std::size_t>(M.size())), 0);
}

TEST_P(Invariance, SinglePrecisionFollowsDoublePrecision) {
  const Matrix<double> M = random_matrix(50, 35, 10);
  Matrix<float> narrow(50, 35);
  for (Index k = 0; k < M.size(); ++k) narrow.data()[k] = static_cast<float>(M.data()[k]);

  const Result<double> wide = factorize_dense(M, options(4, 10));
  const Result<float> single = factorize_dense(narrow, options(4, 10));

  EXPECT_NEAR(single.relative_error, wide.relative_error, 1e-4);
  EXPECT_NEAR(single.error, direct_error(narrow, single), 1e-5 * frobenius(M));
}

TEST_P(Invariance, PermutingRowsPermutesW) {
  const Matrix<double> M = random_matrix(24, 17, 13);
  const Start<double> start{random_matrix(24, 3, 14), random_matrix(3, 17, 15)};
  Matrix<double> reversed(24, 17);
  Start<double> reversed_start{Matrix<double>(24, 3), start.H};
  for (Index i = 0; i < 24; ++i) {
    for (Index j = 0; j < 17; ++j) reversed(i, j) = M(23 - i, j);
    for (Index p = 0; p < 3; ++p) (*reversed_start.W)(i, p) = (*start.W)(23 - i, p);
  }

  const Result<double> a = factorize_dense(M, options(3, 10), start);
  const Result<double> b = factorize_dense(reversed, options(3, 10), reversed_start);

  EXPECT_LT(max_difference(a.H, b.H), 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Methods, Invariance, testing::ValuesIn(method_names()),
                         [](const auto& test) { return identifier(test.param); });

}  // namespace
}  // namespace anmf::test::invariance_properties
