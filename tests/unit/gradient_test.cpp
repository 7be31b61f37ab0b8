// SPDX-License-Identifier: MIT
// g = X G - C + l with X: N x r, G: r x r, C: N x r, l: r.
#include "kernels/gradient.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "support/problems.h"

namespace anmf::test::gradient_test {
namespace {

template <class T>
struct Problem {
  Matrix<T> X, G, C;
  std::vector<T> linear;

  Problem(Index rows, Index r, std::uint64_t seed, double l1)
      : X(random_matrix<T>(rows, r, seed, 0.3)), linear(rising<T>(r, l1)) {
    const Matrix<T> fixed = random_matrix<T>(r + 3, r, seed + 1);
    G = product(transposed(fixed), fixed);
    C = random_matrix<T>(rows, r, seed + 2);
    for (T& c : C.values()) c *= static_cast<T>(r);  // about as large as X G: both signs occur in g
  }

  [[nodiscard]] HalfStep<T> half(ThreadPool& pool) const {
    return {.gram = G.view(), .cross = C.view(), .linear = linear, .workers = {pool}};
  }

  [[nodiscard]] naive::Mat naive_gradient() const {
    naive::Mat shifted = to_naive(C);
    for (Index i = 0; i < C.rows(); ++i) {
      for (Index p = 0; p < C.cols(); ++p)
        shifted(i, p) -= static_cast<double>(linear[static_cast<std::size_t>(p)]);
    }
    return naive::gradient(to_naive(X), shifted, to_naive(G));
  }
};

template <class T>
constexpr double kEpsilon = static_cast<double>(std::numeric_limits<T>::epsilon());

template <class T>
class Gradient : public testing::Test {};
using Floats = testing::Types<float, double>;
TYPED_TEST_SUITE(Gradient, Floats);

TYPED_TEST(Gradient, AndItsNormsEqualTheNaiveOnes) {
  using T = TypeParam;
  ThreadPool pool(2);
  for (const Index rows : {1, 3, 63, 64, 65, 513}) {
    for (const Index r : {1, 2, 5, 17}) {
      for (const double l1 : {0.0, 0.75}) {
        SCOPED_TRACE(testing::Message() << rows << " x " << r << ", l1 = " << l1);
        const Problem<T> problem(rows, r, 21, l1);
        const naive::Mat expected = problem.naive_gradient();
        Matrix<T> g(rows, r);

        const GradientNorms norms = gradient_norms<T>(problem.half(pool), problem.X.view(), 0, g.view());

        const double magnitude = static_cast<double>(r * (r + 3));  // bounds the terms of one entry
        for (Index i = 0; i < rows; ++i) {
          for (Index p = 0; p < r; ++p) {
            EXPECT_NEAR(static_cast<double>(g(i, p)), expected(i, p), kEpsilon<T> * magnitude);
          }
        }
        const double norm = naive::norm(expected);
        const double slack = kEpsilon<T> * magnitude * std::sqrt(static_cast<double>(rows * r));
        EXPECT_NEAR(std::sqrt(norms.squared), norm, slack);
        EXPECT_NEAR(std::sqrt(norms.squared_projected), naive::projected_norm(to_naive(problem.X), expected),
                    slack);
      }
    }
  }
}

/// min over d >= bound - x of g d + h d^2 / 2, where that is lower than at d = 0.
double naive_decrease(double x, double g, double h, double bound) {
  const double lowest = std::min(0.0, bound - x);
  const double free_step = h > 0 ? -g / h : (g > 0 ? lowest : 0.0);
  const double d = std::max(lowest, free_step);
  return -(g * d + 0.5 * h * d * d);
}

TYPED_TEST(Gradient, PromisesTheSumOfWhatEveryEntryAloneCanTakeOff) {
  using T = TypeParam;
  ThreadPool pool(2);
  for (const Index rows : {1, 3, 63, 64, 65, 513}) {
    for (const Index r : {1, 2, 5, 17}) {
      for (const double bound : {0.0, 0.25}) {
        SCOPED_TRACE(testing::Message() << rows << " x " << r << ", bound " << bound);
        const Problem<T> problem(rows, r, 25, 0.5);
        const naive::Mat g = problem.naive_gradient();
        double expected = 0;
        for (Index i = 0; i < rows; ++i) {
          for (Index p = 0; p < r; ++p) {
            expected += naive_decrease(static_cast<double>(problem.X(i, p)), g(i, p),
                                       static_cast<double>(problem.G(p, p)), bound);
          }
        }

        const Optimality found = optimality<T>(problem.half(pool), problem.X.view(), bound);

        EXPECT_GT(expected, 0);
        EXPECT_NEAR(found.promised_decrease, expected, 100 * kEpsilon<T> * expected);
        EXPECT_EQ(found.squared_projected_gradient,
                  gradient_norms<T>(problem.half(pool), problem.X.view(), bound).squared_projected);
      }
    }
  }
}

TYPED_TEST(Gradient, NormsDoNotDependOnWhetherTheGradientIsWanted) {
  using T = TypeParam;
  ThreadPool pool(1);
  const Problem<T> problem(130, 5, 22, T{0.5});
  Matrix<T> g(130, 5);

  const GradientNorms with = gradient_norms<T>(problem.half(pool), problem.X.view(), 0, g.view());
  const GradientNorms without = gradient_norms<T>(problem.half(pool), problem.X.view(), 0);

  EXPECT_EQ(with.squared, without.squared);
  EXPECT_EQ(with.squared_projected, without.squared_projected);
}

TYPED_TEST(Gradient, HasTheSameBitsForAnyNumberOfThreads) {
  using T = TypeParam;
  const Problem<T> problem(2049, 8, 23, T{0.25});
  ThreadPool alone(1);
  Matrix<T> g(2049, 8);
  const GradientNorms norms = gradient_norms<T>(problem.half(alone), problem.X.view(), 0, g.view());

  for (const int threads : {2, 5}) {
    ThreadPool pool(threads);
    Matrix<T> again(2049, 8);
    const GradientNorms same = gradient_norms<T>(problem.half(pool), problem.X.view(), 0, again.view());
    EXPECT_EQ(again, g);
    EXPECT_EQ(same.squared, norms.squared);
    EXPECT_EQ(same.squared_projected, norms.squared_projected);
  }
}

TYPED_TEST(Gradient, WritesIntoAStridedViewAndNotBesideIt) {
  using T = TypeParam;
  ThreadPool pool(1);
  const Problem<T> problem(67, 3, 24, T{0});
  Matrix<T> packed(67, 3);
  gradient_norms<T>(problem.half(pool), problem.X.view(), 0, packed.view());
  Matrix<T> wide(67, 5, T{-7});

  gradient_norms<T>(problem.half(pool), problem.X.view(), 0, MatrixView<T>(wide.data(), 67, 3, 5));

  for (Index i = 0; i < 67; ++i) {
    for (Index p = 0; p < 5; ++p) EXPECT_EQ(wide(i, p), p < 3 ? packed(i, p) : T{-7});
  }
}

// One column, G = 1, so that g = x - c. Every sign of g at, below and above the bound.
class LowerBound : public testing::Test {
 protected:
  static constexpr double kBound = 0.25;

  void SetUp() override {
    const double x[] = {0.25, 0.25, 0, 0, 0.5, 0.5};
    const double g[] = {1, -2, 4, -8, 16, -32};
    for (Index i = 0; i < 6; ++i) {
      X_(i, 0) = x[i];
      C_(i, 0) = x[i] - g[i];
    }
    G_(0, 0) = 1;
  }

  [[nodiscard]] GradientNorms norms(double bound) {
    const std::vector<double> none(1);
    ThreadPool pool(1);
    return gradient_norms<double>({.gram = std::as_const(G_).view(),
                                   .cross = std::as_const(C_).view(),
                                   .linear = none,
                                   .workers = {pool}},
                                  std::as_const(X_).view(), bound);
  }

  [[nodiscard]] double promise(double bound, double l1 = 0) {
    const std::vector<double> linear(1, l1);
    ThreadPool pool(1);
    return optimality<double>({.gram = std::as_const(G_).view(),
                               .cross = std::as_const(C_).view(),
                               .linear = linear,
                               .workers = {pool}},
                              std::as_const(X_).view(), bound)
        .promised_decrease;
  }

  Matrix<double> X_{6, 1}, C_{6, 1}, G_{1, 1};
};

TEST_F(LowerBound, LimitsTheStepsThatThePromiseCounts) {
  // Steps of -g, from 0.25 and 0.5 at most down to the bound: 0.25 (1 - 0.125) and 0.5 (16 - 0.25) for zero.
  EXPECT_EQ(promise(0), 0.25 * 0.875 + 0.5 * (4 + 64 + 1024) + 0.5 * 15.75);
  EXPECT_EQ(promise(kBound), 0.5 * (4 + 64 + 1024) + 0.25 * (16 - 0.125));
  EXPECT_EQ(promise(1), 0.5 * (4 + 64 + 1024));
}

TEST_F(LowerBound, PromisesThePenaltyOfAComponentThatFitsNothing) {
  G_(0, 0) = 0;
  for (Index i = 0; i < 6; ++i) C_(i, 0) = 0;
  EXPECT_EQ(promise(0, 2), 2 * (0.25 + 0.25 + 0.5 + 0.5));
  EXPECT_EQ(promise(0, 0), 0);
  // Nor does one whose curvature is so small that its inverse is no number.
  G_(0, 0) = 1e-310;
  for (Index i = 0; i < 6; ++i) C_(i, 0) = G_(0, 0) * X_(i, 0);
  EXPECT_EQ(promise(0, 0), 0);
  EXPECT_EQ(promise(0, 2), 2 * (0.25 + 0.25 + 0.5 + 0.5));
}

TEST_F(LowerBound, LeavesThePlainNormAlone) {
  EXPECT_EQ(norms(0).squared, 1 + 4 + 16 + 64 + 256 + 1024);
  EXPECT_EQ(norms(kBound).squared, norms(0).squared);
}

TEST_F(LowerBound, OfZeroExcludesPositiveGradientsAtZero) {
  EXPECT_EQ(norms(0).squared_projected, 1 + 4 + 64 + 256 + 1024);
}

TEST_F(LowerBound, ExcludesPositiveGradientsAtAndBelowItself) {
  EXPECT_EQ(norms(kBound).squared_projected, 4 + 64 + 256 + 1024);
}

TEST_F(LowerBound, KeepsNegativeGradientsHoweverHighItIs) {
  EXPECT_EQ(norms(1).squared_projected, 4 + 64 + 1024);
}

TEST_F(LowerBound, SeesNoGradientWhereItIsExactlyZero) {
  for (Index i = 0; i < 6; ++i) C_(i, 0) = X_(i, 0);

  EXPECT_EQ(norms(0).squared, 0);
  EXPECT_EQ(norms(0).squared_projected, 0);
}

}  // namespace
}  // namespace anmf::test::gradient_test
