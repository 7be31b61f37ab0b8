// SPDX-License-Identifier: MIT
// Successive projection: planted columns are found, and what happens where there are not enough.
#include <gtest/gtest.h>

#include <set>

#include "anmf/init.h"
#include "data/scaled_data.h"
#include "data/transposed_data.h"
#include "support/bare_operator.h"
#include "support/files_and_messages.h"
#include "support/memory_source.h"

namespace anmf::test::spa_test {
namespace {

using io_test::expect_phrase;
using io_test::message_of;

struct Separable {
  Matrix<double> M;
  std::vector<Index> pure;  // the columns that are parts, in the order of the parts
};

/// The parts stand at every fifth column, the others are mixtures, and all come at very different strengths.
Separable separable(Index m, Index n, Index r, std::uint64_t seed, double spread = 1e4) {
  const Matrix<double> parts = random_matrix(m, r, seed, 0.3);
  Matrix<double> H = random_matrix(r, n, seed + 1);
  std::vector<Index> pure;
  for (Index p = 0; p < r; ++p) {
    const Index j = (5 * p + 3) % n;
    pure.push_back(j);
    for (Index q = 0; q < r; ++q) H(q, j) = p == q ? 1 : 0;
  }
  for (Index j = 0; j < n; ++j) {
    const double strength = std::pow(spread, uniform(seed, 5, j));
    for (Index q = 0; q < r; ++q) H(q, j) *= strength;
  }
  return {product(parts, H), pure};
}

/// The column of M that column p of W is, exactly; -1 if it is none.
template <class T>
Index column_of(const Matrix<T>& M, const Matrix<T>& W, Index p) {
  for (Index j = 0; j < M.cols(); ++j) {
    bool equal = true;
    for (Index i = 0; i < M.rows() && equal; ++i) equal = M(i, j) == W(i, p);
    if (equal) return j;
  }
  return -1;
}

template <class T>
std::set<Index> columns_of(const Matrix<T>& M, const Matrix<T>& W) {
  std::set<Index> columns;
  for (Index p = 0; p < W.cols(); ++p) columns.insert(column_of(M, W, p));
  return columns;
}

template <class T>
Start<T> spa(const Data<T>& data, Index rank, std::uint64_t seed = 1) {
  return initial_factors<T>(data, rank, Init::spa, seed);
}

TEST(SuccessiveProjection, FindsThePlantedColumnsOfASeparableMatrix) {
  struct Case {
    Index rows, cols, rank;
  };
  for (const auto& [m, n, r] : {Case{1, 1, 1}, Case{6, 7, 2}, Case{30, 61, 8}, Case{200, 143, 20}}) {
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      SCOPED_TRACE(testing::Message() << m << " x " << n << ", rank " << r << ", seed " << seed);
      const Separable problem = separable(m, n, r, 100 + 2 * seed);
      for (const bool sparse : {false, true}) {
        const Start<double> start = sparse ? spa<double>(*to_sparse(problem.M), r)
                                           : spa<double>(DenseData<double>(problem.M.view()), r);

        EXPECT_EQ(columns_of(problem.M, *start.W), std::set<Index>(problem.pure.begin(), problem.pure.end()));
        EXPECT_LE(max_difference(product(*start.W, *start.H), problem.M), 1e-10 * max_entry(problem.M));
      }
    }
  }
}

TEST(SuccessiveProjection, FindsThemInSinglePrecisionAndInNarrowEntries) {
  const Separable problem = separable(40, 50, 5, 200, 10);
  Matrix<float> narrow(40, 50);
  for (Index k = 0; k < narrow.size(); ++k) narrow.data()[k] = static_cast<float>(problem.M.data()[k]);
  const std::set<Index> pure(problem.pure.begin(), problem.pure.end());

  EXPECT_EQ(columns_of(narrow, *spa<float>(DenseData<float>(narrow.view()), 5).W), pure);

  Matrix<std::uint8_t> bytes(4, 6);  // columns 1, 4 and 5 are the parts
  const int entries[4][6] = {
      {10, 20, 0, 6, 0, 0}, {0, 0, 5, 6, 50, 0}, {7, 0, 0, 6, 0, 70}, {8, 8, 2, 10, 20, 40}};
  Matrix<double> wide(4, 6);
  for (Index i = 0; i < 4; ++i) {
    for (Index j = 0; j < 6; ++j) {
      wide(i, j) = entries[i][j];
      bytes(i, j) = static_cast<std::uint8_t>(entries[i][j]);
    }
  }
  const DenseData<double> of_bytes{MatrixView<const std::uint8_t>(bytes.view())};
  EXPECT_EQ(*spa<double>(of_bytes, 3).W, *spa<double>(DenseData<double>(wide.view()), 3).W);
}

TEST(SuccessiveProjection, SolvesForTheBestHOfItsColumns) {
  const Matrix<double> M = random_matrix(12, 20, 201);

  const Start<double> start = spa<double>(DenseData<double>(M.view()), 4);

  const Matrix<double> G = product(transposed(*start.W), *start.W);
  const Matrix<double> C = product(transposed(*start.W), M);
  for (Index j = 0; j < 20; ++j) {
    std::vector<double> c(4);
    for (Index p = 0; p < 4; ++p) c[static_cast<std::size_t>(p)] = C(p, j);
    const std::vector<double> expected = naive::nnls_by_enumeration(c, to_naive(G));
    for (Index p = 0; p < 4; ++p) EXPECT_NEAR((*start.H)(p, j), expected[static_cast<std::size_t>(p)], 1e-9);
  }
}

TEST(SuccessiveProjection, TakesOtherColumnsWhereTheIndependentOnesEnd) {
  const Matrix<double> M = planted(20, 16, 3, 202, 0);  // rank 3

  const Start<double> start = spa<double>(DenseData<double>(M.view()), 7);

  const std::set<Index> columns = columns_of(M, *start.W);
  EXPECT_EQ(columns.size(), 7U);  // all different
  EXPECT_EQ(columns.count(-1), 0U);
  EXPECT_TRUE(finite_and_nonnegative(*start.H));
  EXPECT_EQ(*spa<double>(DenseData<double>(M.view()), 7).W, *start.W);
}

TEST(SuccessiveProjection, InventsColumnsWhereMHasTooFew) {
  Matrix<double> M = random_matrix(9, 4, 203);
  for (Index i = 0; i < 9; ++i) M(i, 2) = 0;

  const Start<double> start = spa<double>(DenseData<double>(M.view()), 6);

  std::multiset<Index> columns;
  for (Index p = 0; p < 6; ++p) columns.insert(column_of(M, *start.W, p));
  EXPECT_EQ(columns, (std::multiset<Index>{-1, -1, -1, 0, 1, 3}));
  EXPECT_TRUE(finite_and_nonnegative(*start.W));
  EXPECT_LT(max_difference(product(*start.W, *start.H), M), 1e-9);
}

TEST(SuccessiveProjection, OfZeroIsZero) {
  const Matrix<double> M(4, 3);
  const Start<double> start = spa<double>(DenseData<double>(M.view()), 2);
  EXPECT_EQ(*start.W, Matrix<double>(4, 2));
  EXPECT_EQ(*start.H, Matrix<double>(2, 3));
}

TEST(SuccessiveProjection, NeedsTheNormsOfTheColumns) {
  const Matrix<double> M = random_matrix(4, 3, 204);
  expect_phrase(message_of<InvalidInput>([&] { (void)spa<double>(BareOperator<double>(M), 2); }),
                "this kind of data (operator) does not give");
}

TEST(LineNorms, AreThoseOfRowsAndColumnsInEveryStorageAndAtEveryScale) {
  for (const double c : {1e-300, 1.0, 1e300}) {
    Matrix<double> M = random_matrix(70, 9, 205, 0.5);
    for (Index i = 0; i < 70; ++i) M(i, 4) = 0;
    const auto norms_of_rows = [](const Matrix<double>& A) {
      std::vector<double> norms;
      for (Index i = 0; i < A.rows(); ++i) {
        double sum = 0;
        for (Index j = 0; j < A.cols(); ++j) sum += A(i, j) * A(i, j);
        norms.push_back(std::sqrt(sum));
      }
      return norms;
    };
    const std::vector<double> of_rows = norms_of_rows(M);
    const std::vector<double> of_columns = norms_of_rows(transposed(M));
    for (double& x : M.values()) x *= c;
    const DenseData<double> dense(M.view());
    const ScaledData<double> scaled(dense, 0x1p10);
    const TransposedData<double> turned(to_sparse(M));
    const auto streamed = to_stream<double>(M, {.layout = Layout::column_major, .lines = 4});

    for (const Side side : {Side::W, Side::H}) {
      const auto expect_norms = [&](const Data<double>& data, Side asked, double factor) {
        const std::vector<double>& expected = side == Side::W ? of_rows : of_columns;
        const std::vector<double> norms = data.line_norms(asked).value();
        ASSERT_EQ(norms.size(), expected.size());
        for (std::size_t k = 0; k < norms.size(); ++k)
          EXPECT_NEAR(norms[k] / c * factor, expected[k], 1e-13) << "c = " << c << ", line " << k;
      };
      expect_norms(dense, side, 1);
      expect_norms(*to_sparse(M), side, 1);
      expect_norms(scaled, side, 0x1p10);
      expect_norms(turned, other(side), 1);
      expect_norms(*streamed, side, 1);
    }
  }
}

}  // namespace
}  // namespace anmf::test::spa_test
