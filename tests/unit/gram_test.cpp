// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <limits>
#include <utility>

#include "kernels/gram.h"
#include "support/problems.h"

namespace anmf::test::gram_test {
namespace {

constexpr Index kRows[] = {0, 1, 3, 63, 64, 65, 513, 2049};
constexpr Index kRanks[] = {1, 2, 3, 8, 17, 33, 65};
constexpr int kTeams[] = {1, 2, 5};

/// Stands for a second worker that holds the same numbers.
class Twin final : public Reducer {
 public:
  void sum(std::span<double> values) override {
    for (double& value : values) value *= 2;
  }
  void max(std::span<double> /*values*/) override {}
};

/// What sums of `terms` products in the type E may be off, relative to the sum of magnitudes.
template <class E>
double rounding(Index terms) {
  return std::numeric_limits<E>::epsilon() * (1 + std::sqrt(static_cast<double>(terms)));
}

/// Reads the left columns of a wider matrix.
template <class T>
ConstMatrixView<T> left_columns(const Matrix<T>& X, Index cols) {
  return {X.data(), X.rows(), cols, X.cols()};
}

template <class T>
class Gram : public testing::Test {};
using Floats = testing::Types<float, double>;
TYPED_TEST_SUITE(Gram, Floats);

TYPED_TEST(Gram, EqualsTheNaiveProduct) {
  using T = TypeParam;
  ThreadPool pool(2);
  for (const Index rows : kRows) {
    for (const Index r : kRanks) {
      SCOPED_TRACE(testing::Message() << rows << " x " << r);
      const Matrix<T> X = random_matrix<T>(rows, r, 11);
      const naive::Mat expected = naive::multiply(naive::transpose(to_naive(X)), to_naive(X));

      const Matrix<double> G = gram<T>(X.view(), {pool});

      ASSERT_EQ(G.rows(), r);
      ASSERT_EQ(G.cols(), r);
      for (Index p = 0; p < r; ++p) {
        for (Index q = 0; q < r; ++q) {
          EXPECT_NEAR(G(p, q), expected(p, q), rounding<T>(rows) * expected(p, q));
          EXPECT_EQ(G(p, q), G(q, p));
        }
      }
    }
  }
}

TYPED_TEST(Gram, InnerProductEqualsTheNaiveSumInDouble) {
  using T = TypeParam;
  ThreadPool pool(2);
  for (const Index rows : kRows) {
    for (const Index r : kRanks) {
      SCOPED_TRACE(testing::Message() << rows << " x " << r);
      const Matrix<T> X = random_matrix<T>(rows, r, 12);
      const Matrix<T> Y = random_matrix<T>(rows, r, 13, 0.3);
      const double expected = naive::dot(to_naive(X), to_naive(Y));

      const double product = inner_product<T>(X.view(), Y.view(), {pool});

      EXPECT_NEAR(product, expected, rounding<double>(rows * r) * expected);
    }
  }
}

TYPED_TEST(Gram, SumOfEntriesEqualsTheNaiveSumInDouble) {
  using T = TypeParam;
  ThreadPool pool(2);
  for (const Index rows : kRows) {
    for (const Index r : kRanks) {
      SCOPED_TRACE(testing::Message() << rows << " x " << r);
      const Matrix<T> X = random_matrix<T>(rows, r, 14);
      double expected = 0;
      for (const T x : X.values()) expected += static_cast<double>(x);

      const double sum = sum_of_entries<T>(X.view(), {pool});

      EXPECT_NEAR(sum, expected, rounding<double>(rows * r) * expected);
    }
  }
}

TYPED_TEST(Gram, HasTheSameBitsForAnyNumberOfThreads) {
  using T = TypeParam;
  const Matrix<T> X = random_matrix<T>(2049, 17, 15);
  const Matrix<T> Y = random_matrix<T>(2049, 17, 16);
  ThreadPool alone(1);
  const Matrix<double> G = gram<T>(X.view(), {alone});
  const double product = inner_product<T>(X.view(), Y.view(), {alone});
  const double sum = sum_of_entries<T>(X.view(), {alone});

  for (const int threads : kTeams) {
    ThreadPool pool(threads);
    EXPECT_EQ(gram<T>(X.view(), {pool}), G);
    EXPECT_EQ(inner_product<T>(X.view(), Y.view(), {pool}), product);
    EXPECT_EQ(sum_of_entries<T>(X.view(), {pool}), sum);
  }
}

TYPED_TEST(Gram, HonoursTheStrideOfItsOperands) {
  using T = TypeParam;
  ThreadPool pool(1);
  Matrix<T> wide = random_matrix<T>(70, 5, 17);
  Matrix<T> packed(70, 3);
  for (Index i = 0; i < 70; ++i) {
    for (Index p = 0; p < 3; ++p) packed(i, p) = wide(i, p);
    wide(i, 3) = wide(i, 4) = std::numeric_limits<T>::quiet_NaN();  // must never be read
  }
  const ConstMatrixView<T> strided = left_columns(wide, 3);

  EXPECT_EQ(gram<T>(strided, {pool}), gram<T>(std::as_const(packed).view(), {pool}));
  EXPECT_EQ(inner_product<T>(strided, strided, {pool}),
            inner_product<T>(std::as_const(packed).view(), std::as_const(packed).view(), {pool}));
  EXPECT_EQ(sum_of_entries<T>(strided, {pool}), sum_of_entries<T>(std::as_const(packed).view(), {pool}));
}

TYPED_TEST(Gram, AddsTheNumbersOfAllWorkers) {
  using T = TypeParam;
  ThreadPool pool(1);
  Twin twin;
  const Workers one{pool};
  const Workers two{pool, &twin};
  const Matrix<T> X = random_matrix<T>(65, 3, 18);

  const Matrix<double> G = gram<T>(X.view(), two);

  Matrix<double> doubled = gram<T>(X.view(), one);
  for (double& g : doubled.values()) g *= 2;
  EXPECT_EQ(G, doubled);
  EXPECT_EQ(inner_product<T>(X.view(), X.view(), two), 2 * inner_product<T>(X.view(), X.view(), one));
  EXPECT_EQ(sum_of_entries<T>(X.view(), two), 2 * sum_of_entries<T>(X.view(), one));
}

TEST(SmallInnerProduct, AddsTheEntrywiseProducts) {
  Matrix<double> A(2, 2);
  Matrix<double> B(2, 2);
  for (Index k = 0; k < 4; ++k) {
    A.data()[k] = static_cast<double>(k + 1);
    B.data()[k] = static_cast<double>(10 * k);
  }

  EXPECT_EQ(inner_product(A, B), 2 * 10 + 3 * 20 + 4 * 30);
  EXPECT_EQ(inner_product(Matrix<double>(), Matrix<double>()), 0);
}

}  // namespace
}  // namespace anmf::test::gram_test
