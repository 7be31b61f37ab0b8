// SPDX-License-Identifier: MIT
// updated is N x r and partner P x r; cross = M partner is N x r. Component p is column p of both.
#include "loss/revive.h"

#include <gtest/gtest.h>

#include <limits>

#include "support/problems.h"

namespace anmf::test::revive_test {
namespace {

constexpr Index kRows = 9;
constexpr Index kPartnerRows = 12;
constexpr Index kRank = 4;

template <class T>
Matrix<double> to_double(const Matrix<T>& X) {
  Matrix<double> result(X.rows(), X.cols());
  std::copy(X.values().begin(), X.values().end(), result.values().begin());
  return result;
}

template <class T>
Matrix<double> gram_of(const Matrix<T>& X) {
  return product(transposed(to_double(X)), to_double(X));
}

template <class T>
class Revive : public testing::Test {
 protected:
  static constexpr double kEpsilon = static_cast<double>(std::numeric_limits<T>::epsilon());

  Revive() {
    updated_.X = random_matrix<T>(kRows, kRank, 81);
    partner_.X = random_matrix<T>(kPartnerRows, kRank, 82);
  }

  void multiply_column(Matrix<T>& X, Index p, double by) {
    for (Index i = 0; i < X.rows(); ++i) X(i, p) = static_cast<T>(static_cast<double>(X(i, p)) * by);
  }

  /// Grams and the cross product as the outer loop has them after a half-step.
  void complete() {
    updated_.gram = gram_of(updated_.X);
    partner_.gram = gram_of(partner_.X);
    updated_.cross = product(M_, partner_.X);
    partner_.cross = Matrix<T>(kPartnerRows, kRank);
  }

  [[nodiscard]] Matrix<double> fit() const {
    return product(to_double(updated_.X), transposed(to_double(partner_.X)));
  }

  [[nodiscard]] double norm(const Matrix<T>& X, Index p) const { return std::sqrt(gram_of(X)(p, p)); }

  /// Everything but column p is bit by bit what it was.
  void expect_same_elsewhere(const Matrix<T>& after, const Matrix<T>& before, Index p) {
    for (Index i = 0; i < after.rows(); ++i) {
      for (Index q = 0; q < kRank; ++q) {
        EXPECT_TRUE(q == p || after(i, q) == before(i, q));
      }
    }
  }

  Matrix<T> M_ = random_matrix<T>(kRows, kPartnerRows, 83);
  FactorState<T> updated_, partner_;
};
using Floats = testing::Types<float, double>;
TYPED_TEST_SUITE(Revive, Floats);

TYPED_TEST(Revive, TouchesNothingWhileEveryColumnIsAlive) {
  this->multiply_column(this->updated_.X, 1, 1e-15);  // small, but not zero
  this->complete();
  const auto updated = this->updated_;
  const auto partner = this->partner_;

  const Revived revived = revive_zero_columns(this->updated_, this->partner_);

  EXPECT_FALSE(revived.any);
  EXPECT_FALSE(revived.pair);
  EXPECT_EQ(this->updated_.X, updated.X);
  EXPECT_EQ(this->updated_.cross, updated.cross);
  EXPECT_EQ(this->partner_.X, partner.X);
  EXPECT_EQ(this->partner_.gram, partner.gram);
}

TYPED_TEST(Revive, FillsAZeroColumnWithTinyNumbersInBalanceWithItsPartner) {
  this->multiply_column(this->updated_.X, 1, 0);
  this->complete();
  const auto updated = this->updated_;
  const auto partner = this->partner_;
  const Matrix<double> before = this->fit();

  const Revived revived = revive_zero_columns(this->updated_, this->partner_);

  EXPECT_TRUE(revived.any);
  EXPECT_FALSE(revived.pair);
  for (Index i = 0; i < kRows; ++i) {
    EXPECT_GT(this->updated_.X(i, 1), 0);
    EXPECT_EQ(this->updated_.X(i, 1), this->updated_.X(0, 1));
  }
  const double norm = this->norm(this->updated_.X, 1);
  // Within a factor of two, since its scale changes by a power of two.
  EXPECT_LE(this->norm(this->partner_.X, 1), norm * (1 + this->kEpsilon));
  EXPECT_GT(this->norm(this->partner_.X, 1), norm * (0.5 - this->kEpsilon));
  EXPECT_LE(norm * norm, this->kEpsilon * frobenius(before));  // no more than rounding changes the fit
  this->expect_same_elsewhere(this->updated_.X, updated.X, 1);
  this->expect_same_elsewhere(this->partner_.X, partner.X, 1);
}

TYPED_TEST(Revive, LetsTheGramOfThePartnerFollow) {
  this->multiply_column(this->updated_.X, 2, 0);
  this->complete();

  static_cast<void>(revive_zero_columns(this->updated_, this->partner_));

  const Matrix<double> expected = gram_of(this->partner_.X);
  for (Index p = 0; p < kRank; ++p) {
    for (Index q = 0; q < kRank; ++q) {
      EXPECT_EQ(this->partner_.gram(p, q), expected(p, q));  // to the last bit
      EXPECT_EQ(this->partner_.gram(p, q), this->partner_.gram(q, p));
    }
  }
}

TYPED_TEST(Revive, LetsTheCrossProductFollow) {
  using T = TypeParam;
  this->multiply_column(this->updated_.X, 2, 0);
  this->complete();
  const Matrix<T> before = this->updated_.cross;

  static_cast<void>(revive_zero_columns(this->updated_, this->partner_));

  const Matrix<T> expected = product(this->M_, this->partner_.X);
  for (Index i = 0; i < kRows; ++i) EXPECT_EQ(this->updated_.cross(i, 2), expected(i, 2));
  this->expect_same_elsewhere(this->updated_.cross, before, 2);
}

TYPED_TEST(Revive, RevivesBothColumnsOfADeadComponentAndSaysSo) {
  this->multiply_column(this->updated_.X, 3, 0);
  this->multiply_column(this->partner_.X, 3, 0);
  this->complete();
  const Matrix<double> before = this->fit();

  const Revived revived = revive_zero_columns(this->updated_, this->partner_);

  EXPECT_TRUE(revived.any);
  EXPECT_TRUE(revived.pair);
  const double norm = this->norm(this->updated_.X, 3);
  const double partner_norm = this->norm(this->partner_.X, 3);
  EXPECT_GT(norm, 0);
  EXPECT_GT(partner_norm, 0);
  EXPECT_LE(norm * partner_norm, this->kEpsilon * frobenius(before));
}

TYPED_TEST(Revive, RevivesSeveralColumnsOfDifferentKinds) {
  for (const Index p : {0, 2, 3}) this->multiply_column(this->updated_.X, p, 0);
  this->multiply_column(this->partner_.X, 2, 0);
  this->complete();
  const Matrix<double> before = this->fit();

  const Revived revived = revive_zero_columns(this->updated_, this->partner_);

  EXPECT_TRUE(revived.pair);
  for (Index p = 0; p < kRank; ++p) {
    EXPECT_GT(this->norm(this->updated_.X, p), 0);
    EXPECT_GT(this->norm(this->partner_.X, p), 0);
  }
  EXPECT_LE(max_difference(this->fit(), before), this->kEpsilon * frobenius(before));
}

TYPED_TEST(Revive, LeavesAZeroColumnOfThePartnerToItsOwnHalf) {
  this->multiply_column(this->partner_.X, 1, 0);
  this->complete();
  const auto partner = this->partner_.X;

  const Revived revived = revive_zero_columns(this->updated_, this->partner_);

  EXPECT_FALSE(revived.any);
  EXPECT_EQ(this->partner_.X, partner);
}

TYPED_TEST(Revive, LeavesAFactorOfZerosAlone) {
  using T = TypeParam;
  for (const bool updated_is_zero : {true, false}) {
    (updated_is_zero ? this->updated_ : this->partner_).X =
        Matrix<T>(updated_is_zero ? kRows : kPartnerRows, kRank);
    this->complete();
    const auto updated = this->updated_.X;
    const auto partner = this->partner_.X;

    const Revived revived = revive_zero_columns(this->updated_, this->partner_);

    EXPECT_FALSE(revived.any);
    EXPECT_EQ(this->updated_.X, updated);
    EXPECT_EQ(this->partner_.X, partner);
  }
}

// The scale of a component is arbitrary, w_p h_p = (w_p / s) (s h_p): it must not decide what tiny means.
TYPED_TEST(Revive, ChangesTheFitByNoMoreWhenThePartnerColumnIsLarge) {
  this->multiply_column(this->updated_.X, 1, 0);
  this->multiply_column(this->partner_.X, 1, 1e6);
  this->complete();
  const Matrix<double> before = this->fit();

  static_cast<void>(revive_zero_columns(this->updated_, this->partner_));

  EXPECT_LE(this->norm(this->updated_.X, 1) * this->norm(this->partner_.X, 1),
            this->kEpsilon * frobenius(before));
}

TYPED_TEST(Revive, ChangesTheFitByNoMoreWhenComponentsAreScaledApart) {
  this->multiply_column(this->updated_.X, 0, 1e6);
  this->multiply_column(this->partner_.X, 0, 1e-6);
  this->multiply_column(this->updated_.X, 1, 1e-6);
  this->multiply_column(this->partner_.X, 1, 1e6);
  this->multiply_column(this->updated_.X, 3, 0);
  this->multiply_column(this->partner_.X, 3, 0);
  this->complete();
  const Matrix<double> before = this->fit();

  static_cast<void>(revive_zero_columns(this->updated_, this->partner_));

  EXPECT_LE(this->norm(this->updated_.X, 3) * this->norm(this->partner_.X, 3),
            this->kEpsilon * frobenius(before));
}

}  // namespace
}  // namespace anmf::test::revive_test
