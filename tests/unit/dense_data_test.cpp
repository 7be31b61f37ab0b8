// SPDX-License-Identifier: MIT
// M is m x n, W is m x r, Ht is n x r; cross is M Ht (m x r) or M' W (n x r).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "anmf/factorize.h"
#include "anmf/stream.h"
#include "data/dense_product.h"
#include "support/files_and_messages.h"
#include "support/problems.h"

namespace anmf::test::dense_data_test {
namespace {

using io_test::expect_phrase;
using io_test::message_of;

TEST(Matrix, TransposesRowsWithoutColumnsAtOnce) {
  constexpr Index kMany = Index{1} << 50;
  const Matrix<double> columns = transposed(Matrix<double>(kMany, 0));
  EXPECT_EQ(columns.rows(), 0);
  EXPECT_EQ(columns.cols(), kMany);
}

struct Shape {
  Index rows, cols;
};

// Around the sizes at which the products are split: into chunks of rows and columns, strips of 32 columns,
// blocks of 48 rows and 128 columns, and long inner sums into ranges of 512 or more.
constexpr Shape kShapes[] = {{1, 1},    {1, 7},    {7, 1},    {1, 300},   {300, 1},  {47, 31},
                             {48, 32},  {49, 33},  {65, 257}, {241, 129}, {3, 1025}, {1024, 3},
                             {1025, 3}, {2500, 7}, {3000, 1}, {520, 520}};

/// All terms are >= 0, so the rounding of a sum is relative to the sum itself.
template <class T>
void expect_close(const Matrix<T>& actual, const naive::Mat& expected, Index terms) {
  const double tolerance = std::numeric_limits<T>::epsilon() * (1 + std::sqrt(static_cast<double>(terms)));
  for (Index i = 0; i < actual.rows(); ++i) {
    for (Index p = 0; p < actual.cols(); ++p) {
      ASSERT_NEAR(static_cast<double>(actual(i, p)), expected(i, p), tolerance * expected(i, p))
          << i << ", " << p;
    }
  }
}

template <class T>
class DenseMatrix : public testing::Test {};
using Floats = testing::Types<float, double>;
TYPED_TEST_SUITE(DenseMatrix, Floats);

TYPED_TEST(DenseMatrix, MultipliesLikeTheNaiveLoop) {
  using T = TypeParam;
  for (const auto& [m, n] : kShapes) {
    for (const Index r : {1, 4, 9}) {
      SCOPED_TRACE(testing::Message() << m << " x " << n << ", r = " << r);
      const Matrix<T> M = random_matrix<T>(m, n, 31, 0.2);
      const Matrix<T> W = random_matrix<T>(m, r, 32);
      const Matrix<T> Ht = random_matrix<T>(n, r, 33);
      const DenseData<T> data(M.view());

      const Matrix<T> for_W = cross_of(data, Side::W, Ht, 2);
      const Matrix<T> for_H = cross_of(data, Side::H, W, 2);

      expect_close(for_W, naive::multiply(to_naive(M), to_naive(Ht)), n);
      expect_close(for_H, naive::multiply(naive::transpose(to_naive(M)), to_naive(W)), m);
    }
  }
}

// The widths go around one vector, several of them and more than the registers hold.
TYPED_TEST(DenseMatrix, MultipliesFactorsOfAnyWidth) {
  using T = TypeParam;
  for (const auto& [m, n] : {Shape{53, 37}, Shape{61, 64}}) {  // rows between cache lines and at their starts
    const Matrix<T> M = random_matrix<T>(m, n, 47, 0.2);
    const DenseData<T> data(M.view());
    for (const Index r : {2, 3, 5, 7, 8, 15, 16, 17, 31, 33, 50, 60, 64, 65, 127, 128, 130}) {
      SCOPED_TRACE(testing::Message() << m << " x " << n << ", r = " << r);
      const Matrix<T> W = random_matrix<T>(m, r, 48);
      const Matrix<T> Ht = random_matrix<T>(n, r, 49);

      expect_close(cross_of(data, Side::W, Ht), naive::multiply(to_naive(M), to_naive(Ht)), n);
      expect_close(cross_of(data, Side::H, W), naive::multiply(naive::transpose(to_naive(M)), to_naive(W)),
                   m);
    }
  }
}

// The same numbers, given by columns: everything but the place of the bytes must be as before.
TYPED_TEST(DenseMatrix, MayBeColumnMajor) {
  using T = TypeParam;
  for (const auto& [m, n] : kShapes) {
    for (const Index r : {1, 4, 9}) {
      SCOPED_TRACE(testing::Message() << m << " x " << n << ", r = " << r);
      Matrix<T> M = random_matrix<T>(m, n, 31, 0.2);
      for (Index j = 0; j < n; ++j) M(0, j) = 0;  // an empty row, and no empty column unless m = 1
      const Matrix<T> W = random_matrix<T>(m, r, 32);
      const Matrix<T> Ht = random_matrix<T>(n, r, 33);
      const Matrix<T> by_columns = transposed(M);
      const DenseData<T> reference(M.view());
      const DenseData<T> data(by_columns.view(), Layout::column_major);

      EXPECT_EQ(data.rows(), m);
      EXPECT_EQ(data.cols(), n);
      EXPECT_EQ(data.empty_rows(), reference.empty_rows());
      EXPECT_EQ(data.empty_cols(), reference.empty_cols());
      EXPECT_NEAR(data.norm(), reference.norm(), 1e-12 * reference.norm());
      const std::vector<double> norms = data.line_norms(Side::H).value();
      const std::vector<double> expected_norms = reference.line_norms(Side::H).value();
      ASSERT_EQ(norms.size(), expected_norms.size());
      for (std::size_t j = 0; j < norms.size(); ++j) EXPECT_NEAR(norms[j], expected_norms[j], 1e-12);
      expect_close(cross_of(data, Side::W, Ht, 2), naive::multiply(to_naive(M), to_naive(Ht)), n);
      expect_close(cross_of(data, Side::H, W, 2), naive::multiply(naive::transpose(to_naive(M)), to_naive(W)),
                   m);
      ThreadPool pool(2);
      const double expected = *reference.squared_residual(W.view(), Ht.view(), pool);
      EXPECT_NEAR(*data.squared_residual(W.view(), Ht.view(), pool), expected,
                  64 * std::numeric_limits<T>::epsilon() * expected);
    }
  }
}

TYPED_TEST(DenseMatrix, NamesTheBadEntryOfAColumnMajorMatrixByItsOwnRowAndColumn) {
  using T = TypeParam;
  Matrix<T> by_columns(5, 3, T{1});  // M is 3 x 5
  by_columns(4, 1) = T{-2};
  const auto message =
      message_of<InvalidInput>([&] { const DenseData<T> data(by_columns.view(), Layout::column_major); });
  EXPECT_NE(message.find("M[1, 4] = -2 is negative"), std::string::npos) << message;
}

/// Whole numbers below 2^bits, of any of the types that can hold them.
template <class S>
Matrix<S> whole_numbers(Index rows, Index cols, int bits) {
  Matrix<S> result(rows, cols);
  for (Index k = 0; k < result.size(); ++k) {
    result.data()[k] = static_cast<S>(std::ldexp(uniform(50, 0, k), bits));
  }
  return result;
}

template <class S, class T>
void expect_bits_of_converted_matrix(const Matrix<S>& narrow) {
  const Index m = narrow.rows();
  const Index n = narrow.cols();
  Matrix<T> M(m, n);
  std::copy_n(narrow.data(), m * n, M.data());
  ThreadPool pool(2);
  const DenseData<T> data(narrow.view());
  const DenseData<T> converted(std::as_const(M).view());
  EXPECT_EQ(data.rows(), m);
  EXPECT_EQ(data.cols(), n);
  EXPECT_EQ(data.nonzeros(), m * n);
  EXPECT_EQ(data.norm(), converted.norm());
  EXPECT_EQ(data.empty_rows(), converted.empty_rows());
  EXPECT_EQ(data.empty_cols(), converted.empty_cols());
  for (const Index r : {1, 5, 20, 50}) {
    SCOPED_TRACE(testing::Message() << m << " x " << n << ", r = " << r);
    const Matrix<T> W = random_matrix<T>(m, r, 38);
    const Matrix<T> Ht = random_matrix<T>(n, r, 39);
    EXPECT_EQ(cross_of(data, Side::W, Ht, 2), cross_of(converted, Side::W, Ht));
    EXPECT_EQ(cross_of(data, Side::H, W, 2), cross_of(converted, Side::H, W));
    EXPECT_EQ(data.squared_residual(W.view(), Ht.view(), pool),
              converted.squared_residual(W.view(), Ht.view(), pool));
  }
}

TYPED_TEST(DenseMatrix, InANarrowTypeGivesTheBitsOfTheConvertedOne) {
  using T = TypeParam;
  for (const auto& [m, n] : {Shape{1, 1}, Shape{7, 3}, Shape{49, 136}, Shape{300, 257}, Shape{1100, 5}}) {
    expect_bits_of_converted_matrix<std::uint8_t, T>(whole_numbers<std::uint8_t>(m, n, 8));
    expect_bits_of_converted_matrix<std::uint8_t, T>(whole_numbers<std::uint8_t>(m, n, 0));  // zeros
    expect_bits_of_converted_matrix<std::uint16_t, T>(whole_numbers<std::uint16_t>(m, n, 16));
    if constexpr (std::is_same_v<T, double>) {
      expect_bits_of_converted_matrix<float, T>(random_matrix<float>(m, n, 40, 0.3));
    }
  }
}

TYPED_TEST(DenseMatrix, NeverReadsBetweenTheRowsNorWritesThere) {
  using T = TypeParam;
  constexpr T kNaN = std::numeric_limits<T>::quiet_NaN();
  for (const auto& [m, n] : {Shape{5, 4}, Shape{70, 260}, Shape{1030, 6}}) {
    SCOPED_TRACE(testing::Message() << m << " x " << n);
    const Matrix<T> packed = random_matrix<T>(m, n, 34);
    Matrix<T> wide(m, n + 3, kNaN);
    for (Index i = 0; i < m; ++i) std::copy_n(packed.data() + i * n, n, wide.data() + i * (n + 3));
    const Matrix<T> W = random_matrix<T>(m, 2, 35);
    const DenseData<T> reference(packed.view());

    const DenseData<T> data(ConstMatrixView<T>(wide.data(), m, n, n + 3));
    Matrix<T> result(n, 4, T{-1});
    ThreadPool pool(1);
    data.cross(Side::H, W.view(), MatrixView<T>(result.data(), n, 2, 4), pool);

    EXPECT_EQ(data.norm(), reference.norm());
    const Matrix<T> expected = cross_of(reference, Side::H, W);
    for (Index j = 0; j < n; ++j) {
      for (Index p = 0; p < 4; ++p) ASSERT_EQ(result(j, p), p < 2 ? expected(j, p) : T{-1});
    }
    const Matrix<T> Ht = random_matrix<T>(n, 2, 36);
    EXPECT_EQ(cross_of(data, Side::W, Ht), cross_of(reference, Side::W, Ht));
    EXPECT_EQ(data.squared_residual(W.view(), Ht.view(), pool),
              reference.squared_residual(W.view(), Ht.view(), pool));
  }
}

TYPED_TEST(DenseMatrix, MultipliesToTheSameBitsForAnyNumberOfThreads) {
  using T = TypeParam;
  for (const auto& [m, n] : {Shape{300, 300}, Shape{2500, 40}}) {
    const Matrix<T> M = random_matrix<T>(m, n, 37);
    const Matrix<T> W = random_matrix<T>(m, 5, 38);
    const Matrix<T> Ht = random_matrix<T>(n, 5, 39);
    const DenseData<T> data(M.view());
    ThreadPool alone(1);
    const Matrix<T> for_W = cross_of(data, Side::W, Ht);
    const Matrix<T> for_H = cross_of(data, Side::H, W);
    const auto residual = data.squared_residual(W.view(), Ht.view(), alone);

    for (const int threads : {2, 5}) {
      ThreadPool pool(threads);
      EXPECT_EQ(cross_of(data, Side::W, Ht, threads), for_W);
      EXPECT_EQ(cross_of(data, Side::H, W, threads), for_H);
      EXPECT_EQ(data.squared_residual(W.view(), Ht.view(), pool), residual);
    }
  }
}

TYPED_TEST(DenseMatrix, MultipliesGroupsOfRowsToTheBitsOfAll) {
  using T = TypeParam;
  ThreadPool pool(2);
  for (const auto& [m, n] : kShapes) {
    const Matrix<T> M = random_matrix<T>(m, n, 1);
    for (const Index r : {1, 3, 4}) {
      SCOPED_TRACE(testing::Message() << m << " x " << n << ", r = " << r);
      const Matrix<T> W = random_matrix<T>(m, r, 2);
      const Matrix<T> Ht = random_matrix<T>(n, r, 3);
      Matrix<T> for_W(m, r);
      Matrix<T> for_H(n, r);
      dense_product(Side::W, M.view(), Ht.view(), for_W.view(), pool, false, SumOrder::by_group);
      dense_product(Side::H, M.view(), W.view(), for_H.view(), pool, false, SumOrder::by_group);
      Matrix<T> parts_W(m, r);
      Matrix<T> parts_H(n, r);
      for (Index begin = 0; begin < m; begin += kLinesPerGroup) {
        const Index end = std::min(m, begin + kLinesPerGroup);
        dense_product(Side::W, M.view().middle_rows(begin, end), Ht.view(),
                      parts_W.view().middle_rows(begin, end), pool, false, SumOrder::by_group);
        dense_product(Side::H, M.view().middle_rows(begin, end), W.view().middle_rows(begin, end),
                      parts_H.view(), pool, begin > 0, SumOrder::by_group);
      }
      EXPECT_EQ(parts_W, for_W);
      EXPECT_EQ(parts_H, for_H);
      expect_close(for_H, naive::multiply(naive::transpose(to_naive(M)), to_naive(W)), m);
    }
  }
}

// As many threads as may read it once, and more of them, which read it twice.
TEST(DenseData, OfManyEntriesIsReadOnceOrTwiceToTheSameFactors) {
  constexpr Index kRows = 20'003;
  constexpr Index kCols = 401;
  const Matrix<double> M = random_matrix<double>(kRows, kCols, 5);
  Options options;
  options.rank = 3;
  options.method = "e-a-hals";
  options.max_iterations = 4;
  options.tolerance = 0;
  for (const Layout layout : {Layout::row_major, Layout::column_major}) {
    options.first = layout == Layout::row_major ? Side::W : Side::H;
    const DenseData<double> data(M.view(), layout);
    EXPECT_EQ(data.pass_side(3, ThreadPool(2)), options.first);
    EXPECT_EQ(data.pass_side(5, ThreadPool(2)), std::nullopt);
    EXPECT_EQ(data.pass_side(3, ThreadPool(5)), std::nullopt);
    options.threads = 2;
    const Result<double> once = factorize(data, options);
    options.threads = 5;
    const Result<double> twice = factorize(data, options);
    EXPECT_EQ(once.W, twice.W);
    EXPECT_EQ(once.H, twice.H);
    EXPECT_EQ(once.error, twice.error);
  }
}

TYPED_TEST(DenseMatrix, SumsTheResidualOfEveryEntry) {
  using T = TypeParam;
  ThreadPool pool(2);
  for (const auto& [m, n] : {Shape{1, 1}, Shape{7, 1}, Shape{1, 9}, Shape{700, 300}, Shape{2, 70000}}) {
    SCOPED_TRACE(testing::Message() << m << " x " << n);
    const Matrix<T> M = random_matrix<T>(m, n, 41);
    const Matrix<T> W = random_matrix<T>(m, 3, 42);
    const Matrix<T> Ht = random_matrix<T>(n, 3, 43);
    const DenseData<T> data(M.view());

    const std::optional<double> squared = data.squared_residual(W.view(), Ht.view(), pool);

    const double expected = naive::error(to_naive(M), to_naive(W), naive::transpose(to_naive(Ht)));
    // Residuals are formed in T, their squares are added in double.
    const double tolerance = 4 * std::numeric_limits<T>::epsilon() +
                             std::numeric_limits<double>::epsilon() * std::sqrt(static_cast<double>(m * n));
    ASSERT_TRUE(squared);
    EXPECT_NEAR(std::sqrt(*squared), expected, tolerance * expected);
  }
}

TYPED_TEST(DenseMatrix, SeesNoResidualOfAnExactProduct) {
  using T = TypeParam;
  ThreadPool pool(1);
  const Matrix<T> W(3, 2, T{2});
  const Matrix<T> Ht(4, 2, T{0.5});
  const Matrix<T> M = product(W, transposed(Ht));

  EXPECT_EQ(DenseData<T>(M.view()).squared_residual(W.view(), Ht.view(), pool), 0.0);
}

TYPED_TEST(DenseMatrix, CountsRowsAndColumnsOfZeros) {
  using T = TypeParam;
  Matrix<T> M(4, 5);
  M(1, 0) = T{1};
  M(2, 3) = std::numeric_limits<T>::denorm_min();  // alone in its row and column
  const Matrix<T> zero(4, 5, T{-0.0});

  const DenseData<T> data(M.view());
  const DenseData<T> nothing(zero.view());

  EXPECT_EQ(data.empty_rows(), 2);
  EXPECT_EQ(data.empty_cols(), 3);
  EXPECT_EQ(data.nonzeros(), 20);
  EXPECT_EQ(data.storage(), Storage::dense);
  EXPECT_EQ(nothing.empty_rows(), 4);
  EXPECT_EQ(nothing.empty_cols(), 5);
  EXPECT_EQ(nothing.norm(), 0);
}

TYPED_TEST(DenseMatrix, LeavesTheMemoryOfTheCallerAlone) {
  using T = TypeParam;
  const Matrix<T> M = random_matrix<T>(300, 270, 44, 0.1);
  const Matrix<T> before = M;
  const Matrix<T> W = random_matrix<T>(300, 3, 45);
  const Matrix<T> Ht = random_matrix<T>(270, 3, 46);
  ThreadPool pool(2);

  const DenseData<T> data(M.view());
  cross_of(data, Side::W, Ht, 2);
  cross_of(data, Side::H, W, 2);
  static_cast<void>(data.squared_residual(W.view(), Ht.view(), pool));

  EXPECT_EQ(std::memcmp(M.data(), before.data(), sizeof(T) * static_cast<std::size_t>(M.size())), 0);
}

TYPED_TEST(DenseMatrix, LooksAtTheMemoryOfTheCallerInsteadOfACopy) {
  using T = TypeParam;
  Matrix<T> M(2, 2, T{1});
  const DenseData<T> data(std::as_const(M).view());

  M(1, 0) = T{5};

  EXPECT_EQ(cross_of(data, Side::W, Matrix<T>(2, 1, T{1}))(1, 0), T{6});
}

TYPED_TEST(DenseMatrix, RejectsEntriesThatAreNotFiniteAndNonnegative) {
  using T = TypeParam;
  constexpr T kInf = std::numeric_limits<T>::infinity();
  const std::pair<T, const char*> cases[] = {{std::numeric_limits<T>::quiet_NaN(), "nan is not a number"},
                                             {kInf, "inf is infinite"},
                                             {-kInf, "-inf is infinite"},
                                             {T{-2.5}, "-2.5 is negative"},
                                             {-std::numeric_limits<T>::denorm_min(), "is negative"}};
  for (const auto& [value, phrase] : cases) {
    Matrix<T> M(3, 4, T{1});
    M(1, 2) = value;
    M(2, 0) = T{-9};  // a later one

    const std::string message = message_of<InvalidInput>([&] { DenseData<T> data(M.view()); });

    expect_phrase(message, "M[1, 2] = ");
    expect_phrase(message, phrase);
  }
}

TEST(DenseData, RejectsBadEntriesOfANarrowType) {
  const float bad[] = {1.0F, -0.5F};
  const auto act = [&] { DenseData<double> data(ConstMatrixView<float>(bad, 1, 2)); };

  expect_phrase(message_of<InvalidInput>(act), "M[0, 1] = -0.5 is negative");
}

TEST(DenseData, RejectsShapesThatAreNoMatrix) {
  const double x = 1;
  const auto message = [&](Index rows, Index cols, Index stride) {
    return message_of<InvalidInput>([&] { DenseData<double> data({&x, rows, cols, stride}); });
  };

  expect_phrase(message(0, 3, 3), "0 x 3");
  expect_phrase(message(3, 0, 0), "3 x 0");
  expect_phrase(message(-1, 1, 1), "-1 x 1");
  expect_phrase(message(Index{1} << 32U, Index{1} << 31U, Index{1} << 31U), "4294967296 x 2147483648");
  expect_phrase(message(2, 3, 2), "row stride 2; it must be at least its number of columns, 3");
  expect_phrase(message(2, 3, -3), "row stride -3");
  expect_phrase(message_of<InvalidInput>([] { DenseData<double> data({nullptr, 1, 1}); }), "null");
}

TEST(DenseData, NamesARowStrideBeyondTheIntegersOfBlas) {
  const double x[2] = {};
  const auto act = [&] { DenseData<double> data({x, 1, 2, Index{3000000000}}); };

  expect_phrase(message_of<InvalidInput>(act), "3000000000");
}

TEST(DenseData, HasANormWithoutOverflowOrUnderflow) {
  const auto norm = [](double a, double b) {
    const double values[] = {a, b};
    return DenseData<double>({values, 2, 1}).norm();
  };
  constexpr double kTiny = std::numeric_limits<double>::denorm_min();
  constexpr double kMax = std::numeric_limits<double>::max();

  EXPECT_DOUBLE_EQ(norm(3, 4), 5);
  EXPECT_DOUBLE_EQ(norm(3e-300, 4e-300), 5e-300);
  EXPECT_EQ(norm(3 * kTiny, 4 * kTiny), 5 * kTiny);
  EXPECT_EQ(norm(0, kTiny), kTiny);
  EXPECT_DOUBLE_EQ(norm(3e200, 4e200), 5e200);
  EXPECT_EQ(norm(kMax, 0), kMax);
  EXPECT_EQ(norm(1e200, 1e-200), 1e200);
  for (const double edge : {1e-101, 1e-100, 1e-99, 1e99, 1e100, 1e101}) {
    EXPECT_DOUBLE_EQ(norm(3 * edge, 4 * edge), 5 * edge);
  }
}

TEST(DenseData, HasANormOfFloatsBeyondTheRangeOfFloat) {
  const float values[] = {3e38F, 3e38F, 3e38F, 3e38F};

  EXPECT_DOUBLE_EQ(DenseData<float>({values, 2, 2}).norm(), 2 * static_cast<double>(3e38F));
}

TEST(DenseData, AddsTheRangesOfAVeryTallMatrix) {
  constexpr Index kPanel = Index{1} << 20U;
  constexpr Index kRows = 16 * kPanel + 16;
  Matrix<float> M(kRows, 1);
  const Matrix<float> W(kRows, 1, 1.0F);
  for (const Index i : {Index{0}, kPanel - 1, kPanel, kPanel + 1, kRows - 1}) M(i, 0) = 1;

  EXPECT_EQ(cross_of(DenseData<float>(std::as_const(M).view()), Side::H, W, 2)(0, 0), 5);
}

}  // namespace
}  // namespace anmf::test::dense_data_test
