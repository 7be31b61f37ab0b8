// SPDX-License-Identifier: MIT
// Tall factors W (m x r) and Ht (n x r) become the result W (m x r), H (r x n) and scale (r).
#include "outer/finish.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "data/scale.h"
#include "support/problems.h"

namespace anmf::test::finish_test {
namespace {

template <class T>
Result<T> finished(const Factors<T>& factors, double scale, Normalize normalize, bool sort = false) {
  Options options;
  options.normalize = normalize;
  options.sort_components = sort;
  Result<T> result;
  ThreadPool pool(1);
  finish(factors, scale, options, Workers{pool}, result);
  return result;
}

/// W diag(scale) H, entry by entry in double.
template <class T>
Matrix<double> product_of(const Result<T>& result) {
  Matrix<double> M(result.W.rows(), result.H.cols());
  for (Index p = 0; p < result.W.cols(); ++p) {
    const double s = result.scale[static_cast<std::size_t>(p)];
    for (Index i = 0; i < M.rows(); ++i) {
      for (Index j = 0; j < M.cols(); ++j) {
        M(i, j) += static_cast<double>(result.W(i, p)) * s * static_cast<double>(result.H(p, j));
      }
    }
  }
  return M;
}

template <class T>
double norm_of(const std::vector<T>& x, Normalize kind) {
  double sum = 0;
  double squares = 0;
  double max = 0;
  for (const T value : x) {
    const auto v = static_cast<double>(value);
    sum += v;
    squares += v * v;
    max = std::max(max, v);
  }
  return kind == Normalize::l1 ? sum : kind == Normalize::l2 ? std::sqrt(squares) : max;
}

template <class T>
std::vector<T> column(const Matrix<T>& W, Index p) {
  std::vector<T> x;
  for (Index i = 0; i < W.rows(); ++i) x.push_back(W(i, p));
  return x;
}

template <class T>
std::vector<T> row(const Matrix<T>& H, Index p) {
  return column(transposed(H), p);
}

template <class T>
constexpr double kEpsilon = static_cast<double>(std::numeric_limits<T>::epsilon());

template <class T>
class Finish : public testing::Test {
 protected:
  Factors<T> factors_{.W = random_matrix<T>(9, 4, 71), .Ht = random_matrix<T>(7, 4, 72)};
};
using Floats = testing::Types<float, double>;
TYPED_TEST_SUITE(Finish, Floats);

TYPED_TEST(Finish, ReturnsTheFactorsAsTheyAreByDefault) {
  using T = TypeParam;
  const Result<T> result = finished(this->factors_, 1, Normalize::none);

  EXPECT_EQ(result.W, this->factors_.W);
  EXPECT_EQ(result.H, transposed(this->factors_.Ht));
  EXPECT_EQ(result.scale, std::vector<double>(4, 1.0));
}

TYPED_TEST(Finish, NormalisesEveryColumnOfWAndRowOfHAndKeepsTheProduct) {
  using T = TypeParam;
  const Matrix<double> before = product_of(finished(this->factors_, 1, Normalize::none));
  for (const Normalize kind : {Normalize::l1, Normalize::l2, Normalize::max}) {
    SCOPED_TRACE(to_string(kind));
    const Result<T> result = finished(this->factors_, 1, kind);

    for (Index p = 0; p < 4; ++p) {
      EXPECT_NEAR(norm_of(column(result.W, p), kind), 1, 2 * kEpsilon<T>);
      EXPECT_NEAR(norm_of(row(result.H, p), kind), 1, 2 * kEpsilon<T>);
      const double expected =
          norm_of(column(this->factors_.W, p), kind) * norm_of(column(this->factors_.Ht, p), kind);
      EXPECT_DOUBLE_EQ(result.scale[static_cast<std::size_t>(p)], expected);
    }
    EXPECT_LE(max_difference(product_of(result), before), 2 * kEpsilon<T> * max_entry(before));
  }
}

TYPED_TEST(Finish, GivesAComponentOfZerosTheScaleZero) {
  using T = TypeParam;
  Factors<T> factors = this->factors_;
  for (Index i = 0; i < 9; ++i) factors.W(i, 1) = factors.W(i, 2) = T{0};
  for (Index j = 0; j < 7; ++j) factors.Ht(j, 2) = T{0};
  const Matrix<double> before = product_of(finished(factors, 1, Normalize::none));
  for (const Normalize kind : {Normalize::l1, Normalize::l2, Normalize::max}) {
    SCOPED_TRACE(to_string(kind));
    const Result<T> result = finished(factors, 1, kind);

    EXPECT_EQ(result.scale[1], 0);
    EXPECT_EQ(result.scale[2], 0);
    EXPECT_EQ(column(result.W, 1), std::vector<T>(9, T{0}));
    EXPECT_EQ(column(result.W, 2), std::vector<T>(9, T{0}));
    EXPECT_EQ(row(result.H, 2), std::vector<T>(7, T{0}));
    EXPECT_TRUE(finite_and_nonnegative(result.H));
    EXPECT_LE(max_difference(product_of(result), before), 2 * kEpsilon<T> * max_entry(before));
  }
}

TYPED_TEST(Finish, SortsComponentsByEnergyAndKeepsEqualOnesInOrder) {
  using T = TypeParam;
  // Energies 1, 4, 0, 4, 9: the second and fourth tie, though their factors differ.
  const T w[] = {1, 4, 0, 2, 3};
  const T h[] = {1, 1, 5, 2, 3};
  Factors<T> factors{.W = Matrix<T>(1, 5), .Ht = Matrix<T>(1, 5)};
  for (Index p = 0; p < 5; ++p) {
    factors.W(0, p) = w[p];
    factors.Ht(0, p) = h[p];
  }

  const Result<T> result = finished(factors, 1, Normalize::none, true);

  EXPECT_EQ(row(result.W, 0), (std::vector<T>{3, 4, 2, 1, 0}));
  EXPECT_EQ(column(result.H, 0), (std::vector<T>{3, 1, 2, 1, 5}));
}

TYPED_TEST(Finish, KeepsManyComponentsOfEqualEnergyInOrder) {
  using T = TypeParam;
  constexpr Index kMany = 64;  // more than a sort handles by insertion
  Factors<T> factors{.W = Matrix<T>(1, kMany), .Ht = Matrix<T>(1, kMany)};
  for (Index p = 0; p < kMany; ++p) {
    factors.W(0, p) = static_cast<T>(std::ldexp(1.0, static_cast<int>(p % 50)));
    factors.Ht(0, p) = T{1} / factors.W(0, p);  // every energy is 1
  }

  EXPECT_EQ(finished(factors, 1, Normalize::none, true).W, factors.W);
}

TYPED_TEST(Finish, KeepsTheOrderUnlessAskedToSort) {
  using T = TypeParam;
  Factors<T> factors{.W = Matrix<T>(1, 2), .Ht = Matrix<T>(1, 2, T{1})};
  factors.W(0, 0) = T{1};
  factors.W(0, 1) = T{2};

  EXPECT_EQ(finished(factors, 1, Normalize::none).W, factors.W);
}

TYPED_TEST(Finish, SortsTheScalesOfANormalisedResultWithTheirComponents) {
  using T = TypeParam;
  const Matrix<double> before = product_of(finished(this->factors_, 1, Normalize::none));

  const Result<T> result = finished(this->factors_, 1, Normalize::l2, true);

  EXPECT_TRUE(std::is_sorted(result.scale.rbegin(), result.scale.rend()));
  EXPECT_LE(max_difference(product_of(result), before), 2 * kEpsilon<T> * max_entry(before));
}

TYPED_TEST(Finish, MultipliesEachFactorByTheRootOfThePowerOfFourExactly) {
  using T = TypeParam;
  for (const int power : {-60, -2, 2, 60}) {
    SCOPED_TRACE(power);
    const Result<T> result = finished(this->factors_, std::ldexp(1.0, power), Normalize::none);

    for (Index k = 0; k < 36; ++k) {
      EXPECT_EQ(result.W.data()[k], std::ldexp(this->factors_.W.data()[k], power / 2));
    }
    const Matrix<T> Ht = transposed(result.H);
    for (Index k = 0; k < 28; ++k)
      EXPECT_EQ(Ht.data()[k], std::ldexp(this->factors_.Ht.data()[k], power / 2));
    EXPECT_EQ(result.scale, std::vector<double>(4, 1.0));
  }
}

TYPED_TEST(Finish, PutsTheScaleOfTheDataIntoTheScalesOfANormalisedResult) {
  using T = TypeParam;
  for (const double scale : {std::ldexp(1.0, 600), std::ldexp(1.0, -600)}) {  // beyond the range of float
    const Result<T> plain = finished(this->factors_, 1, Normalize::l1);
    const Result<T> scaled = finished(this->factors_, scale, Normalize::l1);

    EXPECT_EQ(scaled.W, plain.W);
    EXPECT_EQ(scaled.H, plain.H);
    for (std::size_t p = 0; p < 4; ++p) EXPECT_EQ(scaled.scale[p], plain.scale[p] * scale);
  }
}

TEST(PowerOfFour, IsTheLargestOneNotAboveTheMagnitude) {
  EXPECT_EQ(power_of_four_below(1), 1);
  EXPECT_EQ(power_of_four_below(3.99), 1);
  EXPECT_EQ(power_of_four_below(4), 4);
  EXPECT_EQ(power_of_four_below(15), 4);
  EXPECT_EQ(power_of_four_below(0.99), 0.25);
  EXPECT_EQ(power_of_four_below(0.25), 0.25);
  EXPECT_EQ(power_of_four_below(0.2), 0.0625);
  EXPECT_EQ(power_of_four_below(std::numeric_limits<double>::max()), std::ldexp(1.0, 1022));
  EXPECT_EQ(power_of_four_below(std::numeric_limits<double>::denorm_min()), std::ldexp(1.0, -1074));
}

TEST(SafeScale, IsOneForOrdinaryNormsAndAPowerOfFourForOthers) {
  for (const double norm : {0.0, 1e-100, 1.0, 1e100}) EXPECT_EQ(safe_scale<double>(norm), 1);
  for (const double norm : {0.0, 1e-14, 1.0, 1e14}) EXPECT_EQ(safe_scale<float>(norm), 1);
  for (const double norm : {1e-101, 1e101}) EXPECT_EQ(safe_scale<double>(norm), power_of_four_below(norm));
  for (const double norm : {1e-15, 1e15}) EXPECT_EQ(safe_scale<float>(norm), power_of_four_below(norm));
}

}  // namespace
}  // namespace anmf::test::finish_test
