// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "kernels/sparse_cross.h"
#include "support/files_and_messages.h"
#include "support/problems.h"

namespace anmf::test::sparse_data_test {
namespace {

using io_test::expect_phrase;
using io_test::message_of;

template <class T>
struct Triplet {
  Index row, col;
  T value;
};

template <class T>
std::unique_ptr<SparseData<T>> from_triplets(Index rows, Index cols,
                                             const std::vector<Triplet<T>>& triplets) {
  std::vector<Index> i, j;
  std::vector<T> values;
  for (const Triplet<T>& t : triplets) {
    i.push_back(t.row);
    j.push_back(t.col);
    values.push_back(t.value);
  }
  return SparseData<T>::from_triplets(rows, cols, i, j, values);
}

template <class T, class I>
std::unique_ptr<SparseData<T>> from_csr(Index rows, Index cols, const std::vector<Index>& offsets,
                                        const std::vector<I>& indices, const std::vector<T>& values) {
  return SparseData<T>::template from_csr<I>(rows, cols, offsets, indices, values);
}

template <class T>
void expect_csr(const Csr<T>& M, const std::vector<Index>& offsets, const std::vector<std::uint32_t>& indices,
                const std::vector<T>& values) {
  EXPECT_EQ(M.offsets, offsets);
  EXPECT_EQ(M.indices, indices);
  EXPECT_EQ(M.values, values);
}

// 0 7 0 1
// 0 0 0 0
// 3 0 0 2
template <class T>
void expect_example(const SparseData<T>& data) {
  EXPECT_EQ(data.rows(), 3);
  EXPECT_EQ(data.cols(), 4);
  EXPECT_EQ(data.nonzeros(), 4);
  EXPECT_EQ(data.storage(), Storage::sparse);
  EXPECT_EQ(data.empty_rows(), 1);
  EXPECT_EQ(data.empty_cols(), 1);
  EXPECT_DOUBLE_EQ(data.norm(), std::sqrt(63.0));
  expect_csr<T>(data.by_row(), {0, 2, 2, 4}, {1, 3, 0, 3}, {7, 1, 3, 2});
  expect_csr<T>(data.by_col(), {0, 1, 2, 2, 4}, {2, 0, 0, 2}, {3, 7, 1, 2});
}

template <class T>
void expect_same_products(const Matrix<T>& M, Index r) {
  const DenseData<T> dense(M.view());
  const auto sparse = to_sparse(M);
  ThreadPool pool(2);
  const Matrix<T> W = random_matrix<T>(M.rows(), r, 51);
  const Matrix<T> Ht = random_matrix<T>(M.cols(), r, 52);
  const double unit =
      std::numeric_limits<T>::epsilon() * (1 + std::sqrt(static_cast<double>(M.rows() + M.cols())));
  for (const Side side : {Side::W, Side::H}) {
    const Matrix<T>& factor = side == Side::W ? Ht : W;
    const Matrix<T> expected = cross_of(dense, side, factor);
    EXPECT_LE(max_difference(cross_of(*sparse, side, factor, 2), expected), unit * max_entry(expected));
  }
  const double residual = *dense.squared_residual(W.view(), Ht.view(), pool);
  EXPECT_NEAR(*sparse->squared_residual(W.view(), Ht.view(), pool), residual, 8 * unit * residual);
  EXPECT_DOUBLE_EQ(sparse->norm(), dense.norm());
  EXPECT_EQ(sparse->empty_rows(), dense.empty_rows());
  EXPECT_EQ(sparse->empty_cols(), dense.empty_cols());
}

template <class T>
class SparseMatrix : public testing::Test {};
using Floats = testing::Types<float, double>;
TYPED_TEST_SUITE(SparseMatrix, Floats);

TYPED_TEST(SparseMatrix, OfCsrArraysIsCanonicalForBothIndexTypes) {
  using T = TypeParam;
  // Row 0 unsorted with a repeated column, row 1 an explicit zero, row 2 sorted with a zero among the others.
  const std::vector<Index> offsets = {0, 4, 5, 8};
  const std::vector<T> values = {1, 3, 4, 0, 0, 3, 0, 2};

  expect_example(*from_csr<T, std::int32_t>(3, 4, offsets, {3, 1, 1, 0, 2, 0, 2, 3}, values));
  expect_example(*from_csr<T, std::int64_t>(3, 4, offsets, {3, 1, 1, 0, 2, 0, 2, 3}, values));
}

TYPED_TEST(SparseMatrix, OfCscArraysIsCanonicalForBothIndexTypes) {
  using T = TypeParam;
  // Column 1 has a repeated row, column 2 an explicit zero, column 3 is unsorted.
  const std::vector<Index> offsets = {0, 1, 3, 4, 6};
  const std::vector<T> values = {3, 3, 4, 0, 2, 1};
  const std::vector<std::int32_t> rows = {2, 0, 0, 1, 2, 0};

  expect_example(*SparseData<T>::template from_csc<std::int32_t>(3, 4, offsets, rows, values));
  expect_example(*SparseData<T>::template from_csc<std::int64_t>(
      3, 4, offsets, std::vector<std::int64_t>(rows.begin(), rows.end()), values));
}

TYPED_TEST(SparseMatrix, OfTripletsInAnyOrderIsCanonical) {
  using T = TypeParam;
  expect_example(*from_triplets<T>(
      3, 4, {{2, 3, 1}, {0, 1, 3}, {1, 2, 0}, {2, 0, 3}, {0, 3, 1}, {0, 1, 4}, {2, 3, 1}, {0, 0, 0}}));
}

TYPED_TEST(SparseMatrix, AddsScatteredDuplicates) {
  using T = TypeParam;
  Matrix<T> M(13, 9);
  std::vector<Triplet<T>> triplets;
  for (Index k = 0; k < 300; ++k) {
    const auto i = static_cast<Index>(13 * uniform(53, 0, k));
    const auto j = static_cast<Index>(9 * uniform(53, 1, k));
    const T value = std::floor(static_cast<T>(4 * uniform(53, 2, k)));  // small integers add exactly
    triplets.push_back({i, j, value});
    M(i, j) += value;
  }

  const auto data = from_triplets<T>(13, 9, triplets);

  const auto expected = to_sparse(M);
  expect_csr(data->by_row(), expected->by_row().offsets, expected->by_row().indices,
             expected->by_row().values);
  const auto turned = to_sparse(transposed(M));
  expect_csr(data->by_col(), turned->by_row().offsets, turned->by_row().indices, turned->by_row().values);
}

TYPED_TEST(SparseMatrix, OfTripletsHandedOverIsTheSame) {
  using T = TypeParam;
  std::vector<Triplet<T>> triplets;
  std::vector<std::uint32_t> i, j;
  std::vector<T> values;
  for (Index k = 0; k < 500; ++k) {
    triplets.push_back({static_cast<Index>(31 * uniform(62, 0, k)),
                        static_cast<Index>(17 * uniform(62, 1, k)),
                        static_cast<T>(uniform(62, 2, k))});  // sums depend on the order of their terms
    i.push_back(static_cast<std::uint32_t>(triplets.back().row));
    j.push_back(static_cast<std::uint32_t>(triplets.back().col));
    values.push_back(triplets.back().value);
  }
  Matrix<T> in_order(31, 17);
  for (const Triplet<T>& t : triplets) in_order(t.row, t.col) += t.value;
  const auto expected = to_sparse(in_order);

  const auto spans = from_triplets<T>(31, 17, triplets);
  const auto handed_over =
      SparseData<T>::from_triplets(31, 17, std::move(i), std::move(j), std::move(values));

  for (const SparseData<T>* data : {spans.get(), handed_over.get()}) {
    expect_csr(data->by_row(), expected->by_row().offsets, expected->by_row().indices,
               expected->by_row().values);
  }
}

TYPED_TEST(SparseMatrix, MultipliesLikeTheDenseMatrix) {
  using T = TypeParam;
  for (const auto& [m, n] : {std::pair{1, 1}, {1, 300}, {300, 1}, {65, 33}, {33, 257}, {700, 400}}) {
    for (const double zeros : {0.0, 0.7, 0.98}) {
      SCOPED_TRACE(testing::Message() << m << " x " << n << ", zeros " << zeros);
      expect_same_products(random_matrix<T>(m, n, 54, zeros), 5);
    }
  }
}

// The widths go around one vector, several of them and more than the registers hold.
TYPED_TEST(SparseMatrix, MultipliesFactorsOfAnyWidth) {
  using T = TypeParam;
  const Matrix<T> M = random_matrix<T>(37, 29, 58, 0.6);
  for (const Index r :
       {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 50, 64, 65, 127, 128, 129, 255, 257, 300}) {
    SCOPED_TRACE(testing::Message() << "r = " << r);
    expect_same_products(M, r);
  }
}

// A factor beyond the second-level cache, whose rows are asked for ahead.
TYPED_TEST(SparseMatrix, MultipliesALargeFactor) {
  using T = TypeParam;
  const Matrix<T> M = random_matrix<T>(3, 20001, 59, 0.9);
  for (const Index r : {3, 20, 41}) expect_same_products(M, r);
}

// A factor beyond every cache is taken in pieces. Some rows have entries in all of them, one only in the
// first, one only in the last, one in none.
TYPED_TEST(SparseMatrix, MultipliesAFactorTakenInPieces) {
  using T = TypeParam;
  constexpr Index kRows = 7, kCols = 400'000, kRank = 2 * 64 / sizeof(T) + 1, kEntries = 60;
  std::vector<Triplet<T>> triplets = {{5, 0, T{2}}, {3, kCols - 1, T{3}}};
  for (const Index row : {0, 1, 2, 6}) {
    for (Index k = 0; k < kEntries; ++k) {
      triplets.push_back({row, (k * 104'729 + row) % kCols, static_cast<T>(1 + (k + row) % 5)});
    }
  }
  const auto data = from_triplets<T>(kRows, kCols, triplets);
  ASSERT_GE(factor_segments(data->by_row(), kRank), 3);
  Matrix<T> Ht(kCols, kRank);
  for (Index k = 0; k < Ht.size(); ++k) Ht.data()[k] = static_cast<T>(k % 1009);

  Matrix<T> expected(kRows, kRank);  // whole numbers that every type holds exactly
  for (const Triplet<T>& t : triplets) {
    for (Index p = 0; p < kRank; ++p) expected(t.row, p) += t.value * Ht(t.col, p);
  }
  EXPECT_EQ(cross_of(*data, Side::W, Ht), expected);
  EXPECT_EQ(cross_of(*data, Side::W, Ht, 3), expected);
}

TYPED_TEST(SparseMatrix, NeverReadsBetweenTheRowsOfAFactorNorWritesThere) {
  using T = TypeParam;
  constexpr T kNaN = std::numeric_limits<T>::quiet_NaN();
  const auto data = to_sparse(random_matrix<T>(23, 31, 60, 0.5));
  ThreadPool pool(1);
  for (const Index r : {1, 3, 8, 11, 50}) {
    SCOPED_TRACE(testing::Message() << "r = " << r);
    const Matrix<T> packed = random_matrix<T>(31, r, 61);
    Matrix<T> wide(31, r + 3, kNaN);
    for (Index j = 0; j < 31; ++j) std::copy_n(packed.data() + j * r, r, wide.data() + j * (r + 3));
    Matrix<T> result(23, r + 2, T{-1});

    data->cross(Side::W, ConstMatrixView<T>(wide.data(), 31, r, r + 3),
                MatrixView<T>(result.data(), 23, r, r + 2), pool);

    const Matrix<T> expected = cross_of(*data, Side::W, packed);
    for (Index i = 0; i < 23; ++i) {
      for (Index p = 0; p < r + 2; ++p) ASSERT_EQ(result(i, p), p < r ? expected(i, p) : T{-1});
    }
  }
}

TYPED_TEST(SparseMatrix, WithLopsidedRowsMultipliesLikeTheDenseMatrix) {
  using T = TypeParam;
  Matrix<T> one_full_row(200, 300);
  for (Index j = 0; j < 300; ++j) one_full_row(117, j) = T{1} + static_cast<T>(j);
  Matrix<T> mostly_empty(9000, 3);
  mostly_empty(0, 1) = T{2};
  mostly_empty(8999, 2) = T{3};

  expect_same_products(one_full_row, 3);
  expect_same_products(mostly_empty, 3);
}

TYPED_TEST(SparseMatrix, MultipliesToTheSameBitsForAnyNumberOfThreads) {
  using T = TypeParam;
  const auto data = to_sparse(random_matrix<T>(700, 400, 55, 0.7));
  const Matrix<T> W = random_matrix<T>(700, 3, 56);
  const Matrix<T> Ht = random_matrix<T>(400, 3, 57);
  ThreadPool alone(1);

  for (const int threads : {2, 5}) {
    ThreadPool pool(threads);
    EXPECT_EQ(cross_of(*data, Side::W, Ht, threads), cross_of(*data, Side::W, Ht));
    EXPECT_EQ(cross_of(*data, Side::H, W, threads), cross_of(*data, Side::H, W));
    EXPECT_EQ(data->squared_residual(W.view(), Ht.view(), pool),
              data->squared_residual(W.view(), Ht.view(), alone));
  }
}

TYPED_TEST(SparseMatrix, OfNothingIsZero) {
  using T = TypeParam;
  for (const auto& data : {from_triplets<T>(3, 5, {}), from_csr<T, std::int32_t>(3, 5, {0, 0, 0, 0}, {}, {}),
                           from_triplets<T>(3, 5, {{1, 1, T{0}}})}) {
    EXPECT_EQ(data->nonzeros(), 0);
    EXPECT_EQ(data->norm(), 0);
    EXPECT_EQ(data->empty_rows(), 3);
    EXPECT_EQ(data->empty_cols(), 5);
    EXPECT_EQ(cross_of(*data, Side::W, Matrix<T>(5, 2, T{1})), (Matrix<T>(3, 2)));
    EXPECT_EQ(cross_of(*data, Side::H, Matrix<T>(3, 2, T{1})), (Matrix<T>(5, 2)));
  }
}

TYPED_TEST(SparseMatrix, DropsDuplicatesThatCancel) {
  using T = TypeParam;
  const auto data = from_triplets<T>(2, 2, {{0, 1, T{2}}, {1, 1, T{4}}, {0, 1, T{-2}}});

  expect_csr<T>(data->by_row(), {0, 0, 1}, {1}, {4});
}

TYPED_TEST(SparseMatrix, RefusesBadEntriesWithTheirPlace) {
  using T = TypeParam;
  constexpr T kMax = std::numeric_limits<T>::max();
  const auto message = [](const std::vector<Triplet<T>>& bad) {
    return message_of<InvalidInput>([&] { from_triplets<T>(3, 4, bad); });
  };

  expect_phrase(message({{0, 0, T{1}}, {2, 3, T{-1.5}}}), "M[2, 3] = -1.5 is negative");
  expect_phrase(message({{1, 2, std::numeric_limits<T>::quiet_NaN()}}), "M[1, 2] = nan is not a number");
  expect_phrase(message({{1, 0, std::numeric_limits<T>::infinity()}}), "M[1, 0] = inf is infinite");
  expect_phrase(message({{1, 2, T{1}}, {1, 2, T{-3}}}), "M[1, 2] = -2 is negative");
  expect_phrase(message({{0, 1, kMax}, {0, 1, kMax}}), "M[0, 1] = inf is infinite");
  expect_phrase(
      message_of<InvalidInput>([] { from_csr<T, std::int32_t>(2, 2, {0, 1, 2}, {0, 1}, {T{1}, T{-1}}); }),
      "M[1, 1] = -1 is negative");
}

template <class I>
std::string csr_message(Index rows, Index cols, const std::vector<Index>& offsets,
                        const std::vector<I>& indices, const std::vector<double>& values) {
  return message_of<InvalidInput>([&] { from_csr<double, I>(rows, cols, offsets, indices, values); });
}

template <class I>
class MalformedCsr : public testing::Test {};
using IndexTypes = testing::Types<std::int32_t, std::int64_t>;
TYPED_TEST_SUITE(MalformedCsr, IndexTypes);

TYPED_TEST(MalformedCsr, IsRefusedWithItsFault) {
  using I = TypeParam;
  expect_phrase(csr_message<I>(2, 3, {0, 1}, {0}, {1}), "2 row offsets; 2 rows need 3");
  expect_phrase(csr_message<I>(2, 3, {0, 1, 1, 1}, {0}, {1}), "4 row offsets; 2 rows need 3");
  expect_phrase(csr_message<I>(2, 3, {}, {}, {}), "0 row offsets; 2 rows need 3");
  expect_phrase(csr_message<I>(2, 3, {0, 1, 2}, {0, 1}, {1}), "2 column indices but 1 values");
  expect_phrase(csr_message<I>(3, 3, {0, 2, 1, 2}, {0, 1}, {1, 1}), "fall from 2 to 1 at row 1");
  expect_phrase(csr_message<I>(2, 3, {0, 1, 5}, {0, 1}, {1, 1}),
                "from 0 to 5; they must run from 0 to the 2");
  expect_phrase(csr_message<I>(2, 3, {0, 1, 1}, {0, 1}, {1, 1}),
                "from 0 to 1; they must run from 0 to the 2");
  expect_phrase(csr_message<I>(2, 3, {1, 1, 2}, {0, 1}, {1, 1}), "from 1 to 2; they must run from 0");
  expect_phrase(csr_message<I>(2, 3, {-1, 1, 2}, {0, 1}, {1, 1}), "from -1 to 2; they must run from 0");
  expect_phrase(csr_message<I>(2, 3, {0, 1, 2}, {0, 3}, {1, 1}),
                "Entry 1 of M has column index 3, outside 0..2");
  expect_phrase(csr_message<I>(2, 3, {0, 1, 2}, {-1, 0}, {1, 1}),
                "Entry 0 of M has column index -1, outside 0..2");
}

TYPED_TEST(MalformedCsr, OfColumnsIsRefusedInTheWordsOfColumns) {
  using I = TypeParam;
  const auto message = [](const std::vector<Index>& offsets, const std::vector<I>& rows,
                          const std::vector<double>& values) {
    return message_of<InvalidInput>(
        [&] { (void)SparseData<double>::template from_csc<I>(3, 2, offsets, rows, values); });
  };
  expect_phrase(message({0, 1}, {0}, {1}), "2 column offsets; 2 columns need 3");
  expect_phrase(message({0, 2, 1}, {0, 1}, {1, 1}), "column offsets of M fall from 2 to 1 at column 1");
  expect_phrase(message({0, 1, 2}, {0, 3}, {1, 1}), "Entry 1 of M has row index 3, outside 0..2");
  expect_phrase(message({0, 1, 2}, {0, 2}, {1, -1}), "M[2, 1] = -1 is negative");
}

TEST(MalformedTriplets, AreRefusedWithTheirFault) {
  const auto message = [](const std::vector<Index>& i, const std::vector<Index>& j,
                          const std::vector<double>& v) {
    return message_of<InvalidInput>([&] { SparseData<double>::from_triplets(2, 3, i, j, v); });
  };

  expect_phrase(message({0}, {0, 1}, {1, 1}), "1 row indices, 2 column indices and 2 values");
  expect_phrase(message({0, 1}, {0}, {1, 1}), "2 row indices, 1 column indices and 2 values");
  expect_phrase(message({0, 1}, {0, 1}, {1}), "2 row indices, 2 column indices and 1 values");
  expect_phrase(message({0, 2}, {0, 0}, {1, 1}), "Entry 1 of M has row index 2, outside 0..1");
  expect_phrase(message({-1}, {0}, {1}), "Entry 0 of M has row index -1, outside 0..1");
  expect_phrase(message({0}, {3}, {1}), "Entry 0 of M has column index 3, outside 0..2");
  expect_phrase(message({0}, {-2}, {1}), "Entry 0 of M has column index -2, outside 0..2");
}

TEST(SparseData, RefusesSizesBeyond32BitsBeforeItAllocates) {
  constexpr Index kTooLarge = Index{1} << 32U;
  const auto message = [](Index rows, Index cols) {
    return message_of<InvalidInput>([&] { from_triplets<double>(rows, cols, {}); });
  };

  expect_phrase(message(kTooLarge, 1), "4294967296 x 1; a sparse matrix may have at most 4294967295");
  expect_phrase(message(1, kTooLarge), "1 x 4294967296; a sparse matrix may have at most 4294967295");
  expect_phrase(message(kTooLarge, kTooLarge), "4294967296 x 4294967296");
  expect_phrase(message(0, 3), "0 x 3");
  expect_phrase(message(3, 0), "3 x 0");
  expect_phrase(message(-3, 3), "-3 x 3");
  expect_phrase(csr_message<std::int64_t>(kTooLarge, 1, {0}, {}, {}), "4294967296 x 1");
}

TEST(SparseData, HasANormWithoutOverflowOrUnderflow) {
  const auto norm = [](double a, double b) {
    return from_triplets<double>(2, 2, {{0, 0, a}, {1, 1, b}})->norm();
  };
  constexpr double kTiny = std::numeric_limits<double>::denorm_min();

  EXPECT_DOUBLE_EQ(norm(3e-300, 4e-300), 5e-300);
  EXPECT_EQ(norm(3 * kTiny, 4 * kTiny), 5 * kTiny);
  EXPECT_DOUBLE_EQ(norm(3e200, 4e200), 5e200);
}

}  // namespace
}  // namespace anmf::test::sparse_data_test
