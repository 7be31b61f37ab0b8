// SPDX-License-Identifier: MIT
// g = X G - C + l with X: N x r, G: r x r, C: N x r, l: r.
#include "kernels/gradient.h"

#include <gtest/gtest.h>

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

  Matrix<double> X_{6, 1}, C_{6, 1}, G_{1, 1};
};

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
