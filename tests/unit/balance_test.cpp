// SPDX-License-Identifier: MIT
#include "loss/balance.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "kernels/gram.h"
#include "support/problems.h"

namespace anmf::test::balance_test {
namespace {

template <class T>
class Balance : public testing::Test {
 protected:
  Balance() {
    first_.X = random_matrix<T>(21, 3, 71);
    second_.X = random_matrix<T>(13, 3, 72);
  }

  /// Column p of the first factor times 2^k, that of the second divided by it.
  void shift(Index p, int k) {
    for (Index i = 0; i < 21; ++i) first_.X(i, p) = std::ldexp(first_.X(i, p), k);
    for (Index j = 0; j < 13; ++j) second_.X(j, p) = std::ldexp(second_.X(j, p), -k);
  }

  void complete() {
    first_.gram = gram<T>(std::as_const(first_.X).view(), {pool_});
    second_.gram = gram<T>(std::as_const(second_.X).view(), {pool_});
    first_.cross = product(M_, second_.X);
    second_.cross = product(transposed(M_), first_.X);
  }

  const Matrix<T> M_ = random_matrix<T>(21, 13, 73);
  ThreadPool pool_{1};
  FactorState<T> first_;
  FactorState<T> second_;
};

using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(Balance, Precisions);

TYPED_TEST(Balance, LeavesComponentsAloneWhoseNormsAreWithinTwoToTheSixteenth) {
  this->shift(0, 7);
  this->shift(1, -7);
  this->complete();
  const FactorState<TypeParam> before = this->first_;
  EXPECT_FALSE(balance_components(this->first_, this->second_));
  EXPECT_EQ(this->first_.X, before.X);
}

TYPED_TEST(Balance, BringsAComponentBackWithTheBitsOfEverythingComputedAnew) {
  this->shift(2, 20);
  this->shift(0, -11);
  this->complete();
  const Matrix<TypeParam> fit = product(this->first_.X, transposed(this->second_.X));
  ASSERT_TRUE(balance_components(this->first_, this->second_));
  for (Index p = 0; p < 3; ++p) {
    EXPECT_NEAR(std::log2(this->first_.gram(p, p) / this->second_.gram(p, p)), 0, 2.01) << p;
  }
  EXPECT_EQ(product(this->first_.X, transposed(this->second_.X)), fit);
  const FactorState<TypeParam> first = this->first_;
  const FactorState<TypeParam> second = this->second_;
  this->complete();
  EXPECT_EQ(first.gram, this->first_.gram);
  EXPECT_EQ(second.gram, this->second_.gram);
  EXPECT_EQ(first.cross, this->first_.cross);
  EXPECT_EQ(second.cross, this->second_.cross);
}

TYPED_TEST(Balance, PassesOverComponentsThatAreZero) {
  for (Index i = 0; i < 21; ++i) this->first_.X(i, 1) = 0;
  this->complete();
  EXPECT_FALSE(balance_components(this->first_, this->second_));
}

}  // namespace
}  // namespace anmf::test::balance_test
