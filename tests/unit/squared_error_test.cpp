// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>

#include "kernels/gram.h"
#include "kernels/squared_error.h"
#include "support/bare_operator.h"
#include "support/problems.h"

namespace anmf::test::squared_error_test {
namespace {

template <class T>
class SquaredErrorOf : public testing::Test {};
using ErrorTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(SquaredErrorOf, ErrorTypes);

template <class T>
ErrorTerms terms_of(const Data<T>& M, const Matrix<T>& W, const Matrix<T>& Ht, const Workers& workers) {
  Matrix<T> C(W.rows(), W.cols());
  M.cross(Side::W, Ht.view(), C.view(), workers.pool);
  return {.squared_norm = M.norm() * M.norm(),
          .overlap = inner_product<T>(std::as_const(C).view(), W.view(), workers),
          .square = inner_product(gram<T>(W.view(), workers), gram<T>(Ht.view(), workers))};
}

template <class T>
double naive_squared_error(const Matrix<T>& M, const Matrix<T>& W, const Matrix<T>& Ht) {
  double sum = 0;
  for (Index i = 0; i < M.rows(); ++i) {
    for (Index j = 0; j < M.cols(); ++j) {
      auto residual = static_cast<double>(M(i, j));
      for (Index p = 0; p < W.cols(); ++p)
        residual -= static_cast<double>(W(i, p)) * static_cast<double>(Ht(j, p));
      sum += residual * residual;
    }
  }
  return sum;
}

/// W H, but for a share of the entry (0, 0).
template <class T>
Matrix<T> nearly_product(const Matrix<T>& W, const Matrix<T>& Ht, double share) {
  Matrix<T> M(W.rows(), Ht.rows());
  for (Index i = 0; i < M.rows(); ++i) {
    for (Index j = 0; j < M.cols(); ++j) {
      double sum = 0;
      for (Index p = 0; p < W.cols(); ++p)
        sum += static_cast<double>(W(i, p)) * static_cast<double>(Ht(j, p));
      M(i, j) = static_cast<T>(sum);
    }
  }
  M(0, 0) = static_cast<T>(static_cast<double>(M(0, 0)) * (1 + share));
  return M;
}

TYPED_TEST(SquaredErrorOf, IsThatOfItsThreeTerms) {
  using T = TypeParam;
  const Matrix<T> M = random_matrix<T>(37, 23, 1);
  const Matrix<T> W = random_matrix<T>(37, 3, 2);
  const Matrix<T> Ht = random_matrix<T>(23, 3, 3);
  const DenseData<T> data(M.view());
  ThreadPool pool(2);
  const ErrorTerms terms = terms_of<T>(data, W, Ht, {pool});

  const SquaredError error = squared_error<T>(data, terms, W.view(), Ht.view(), pool);

  EXPECT_EQ(error.value, terms.squared_norm - 2 * terms.overlap + terms.square);
  EXPECT_LE(std::abs(error.value - naive_squared_error(M, W, Ht)), 10 * error.rounding);
}

TYPED_TEST(SquaredErrorOf, IsThatOfTheEntriesWhereTheTermsCancel) {
  using T = TypeParam;
  const Matrix<T> W = random_matrix<T>(37, 3, 2);
  const Matrix<T> Ht = random_matrix<T>(23, 3, 3);
  // Squared, this share is far below the rounding of the three terms.
  const Matrix<T> M = nearly_product(W, Ht, std::is_same_v<T, float> ? 1e-3 : 1e-8);
  const DenseData<T> data(M.view());
  ThreadPool pool(2);
  const ErrorTerms terms = terms_of<T>(data, W, Ht, {pool});
  const double expected = naive_squared_error(M, W, Ht);

  const SquaredError error = squared_error<T>(data, terms, W.view(), Ht.view(), pool);

  EXPECT_NEAR(error.value, expected, 1e-2 * expected);
  EXPECT_GT(error.rounding, 0);
  EXPECT_LE(error.rounding, 0.5 * error.value);
  EXPECT_LT(error.value, std::numeric_limits<T>::epsilon() * terms.squared_norm);
}

TYPED_TEST(SquaredErrorOf, AnOperatorWithoutEntriesIsNotNegative) {
  using T = TypeParam;
  const Matrix<T> W = random_matrix<T>(37, 3, 2);
  const Matrix<T> Ht = random_matrix<T>(23, 3, 3);
  const Matrix<T> M = nearly_product(W, Ht, 0);
  const BareOperator<T> bare(M);
  ThreadPool pool(1);
  ErrorTerms terms = terms_of<T>(bare, W, Ht, {pool});
  terms.overlap *= 1 + 1e-5;  // so that the difference is negative

  EXPECT_EQ(squared_error<T>(bare, terms, W.view(), Ht.view(), pool).value, 0);
  terms.square = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isnan(squared_error<T>(bare, terms, W.view(), Ht.view(), pool).value));
}

}  // namespace
}  // namespace anmf::test::squared_error_test
