// SPDX-License-Identifier: MIT
// Rows of norm 1, how sparse a factor is, and how dense spectra are.
#include <algorithm>
#include <array>
#include <limits>

#include "support/files_and_messages.h"
#include "support/spectra.h"

namespace anmf::test::consensus_spectra_test {
namespace {

using io_test::expect_phrase;
using io_test::message_of;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

TEST(UnitRows, HaveNormOneAtAnyScaleAndRowsOfZerosStay) {
  for (const Index n : {1, 3, 8, 65}) {
    Matrix<double> X = spectra_of_starts(2, 2, n);
    for (Index j = 0; j < n; ++j) X(1, j) = j == n - 1 ? -1 : 0;
    clear_row(X, 2);
    const Matrix<double> unit = unit_rows(X.view());
    ASSERT_EQ(unit.rows(), 4);
    for (Index i = 0; i < 4; ++i) {
      const double norm = norm_of(row_of(X, i));
      for (Index j = 0; j < n; ++j) {
        EXPECT_NEAR(unit(i, j), norm == 0 ? 0 : X(i, j) / norm, 1e-15) << i << ", " << j;
      }
    }
    for (const double scale : {1e-310, 1e-200, 1e200, 1e305}) {
      Matrix<double> scaled = X;
      for (double& x : scaled.values()) x *= scale;
      EXPECT_LT(max_difference(unit_rows(scaled.view()), unit), scale < 1e-300 ? 1e-12 : 1e-15) << scale;
    }
  }
}

TEST(UnitRows, OfNothingAreNothing) {
  EXPECT_EQ(unit_rows(Matrix<double>(0, 3).view()), Matrix<double>(0, 3));
  EXPECT_EQ(unit_rows(Matrix<double>(2, 0).view()), Matrix<double>(2, 0));
}

TEST(UnitRows, NameWhatIsNotFinite) {
  Matrix<double> X(2, 3);
  X(1, 2) = kNaN;
  expect_phrase(message_of<InvalidInput>([&] { (void)unit_rows(X.view()); }), "spectra[1, 2] = nan");
}

TEST(Sparseness, IsHoyers) {
  const std::vector<double> x = {0, 1, 3, 0, 2};
  EXPECT_NEAR(sparseness(x), (std::sqrt(5.0) - 6 / std::sqrt(14.0)) / (std::sqrt(5.0) - 1), 1e-15);
  const std::vector<double> two = {3, 4};
  EXPECT_NEAR(sparseness(two), (std::sqrt(2.0) - 1.4) / (std::sqrt(2.0) - 1), 1e-15);
  for (const Index n : {2, 3, 64, 1001}) {
    std::vector<double> equal(static_cast<std::size_t>(n), 0.1);
    EXPECT_NEAR(sparseness(equal), 0, 1e-12);
    EXPECT_GE(sparseness(equal), 0);
    std::vector<double> single(static_cast<std::size_t>(n), 0);
    single[1] = -7;
    EXPECT_EQ(sparseness(single), 1);
  }
}

TEST(Sparseness, KnowsNoScaleNoOrderAndNoSign) {
  const std::vector<double> x = {0.25, 1, 3, 0, 2};
  for (const double scale : {0x1p-1060, 0x1p-600, -1.0, 0x1p600, 0x1p1020}) {
    std::vector<double> scaled(x.rbegin(), x.rend());
    for (double& value : scaled) value *= scale;
    EXPECT_NEAR(sparseness(scaled), sparseness(x), 1e-12) << scale;
  }
}

TEST(Sparseness, OfZerosOrOneNumberIsNotKnown) {
  EXPECT_TRUE(std::isnan(sparseness({})));
  EXPECT_TRUE(std::isnan(sparseness(std::vector<double>{5})));
  EXPECT_TRUE(std::isnan(sparseness(std::vector<double>{0, 0, 0})));
}

TEST(DensityNeighbours, AreCountedAsCnmfDoes) {
  EXPECT_EQ(density_neighbours(0.3, 84, 7), 3);  // int(0.3 * 84 / 7)
  EXPECT_EQ(density_neighbours(0.3, 100, 10), 3);
  EXPECT_EQ(density_neighbours(0.35, 180, 9), 6);   // where 0.35 * (180 / 9) is 7
  EXPECT_EQ(density_neighbours(0.58, 150, 3), 29);  // where 0.58 * (150 / 3) is 28.999999999999996
  EXPECT_EQ(density_neighbours(0.3, 6, 3), 1);      // never none
  EXPECT_EQ(density_neighbours(0, 100, 2), 1);
  EXPECT_EQ(density_neighbours(0.3, 0, 2), 1);
  EXPECT_EQ(density_neighbours(1e300, 40, 2), 40);
}

TEST(DensityNeighbours, RefuseWhatIsNoShare) {
  for (const double share : {-0.1, kNaN, std::numeric_limits<double>::infinity()}) {
    expect_phrase(message_of<InvalidInput>([&] { (void)density_neighbours(share, 10, 2); }), "share = ");
  }
  EXPECT_THROW((void)density_neighbours(0.3, 10, 0), InvalidInput);
  EXPECT_THROW((void)density_neighbours(0.3, -1, 2), InvalidInput);
}

// numpy, in the words of cNMF 1.7.1: sums of the L + 1 smallest of sklearn's euclidean_distances, over L.
TEST(LocalDensity, IsThatOfCnmf) {
  const Matrix<double> unit = unit_rows(spectra_of_starts(4, 3, 8).view());
  ThreadPool pool;
  expect_near(local_density(unit.view(), 1, pool),
              {0.22216523380242834, 0.0922331740129272, 0.22353134478239295, 0.09876398958793124,
               0.31290732620424433, 0.24053595123723676, 0.28804695577616923, 0.16613445460320214,
               0.0922331740129272, 0.16613445460320214, 0.09876398958793124, 0.22353134478239295},
              1e-14);
  expect_near(local_density(unit.view(), 3, pool),
              {0.2760751544064514, 0.19614054899715475, 0.27527437922787085, 0.23444220347274972,
               0.35680351130241444, 0.3130421310630311, 0.32405466487768114, 0.23748487029404242,
               0.2274234131816388, 0.20961187988095573, 0.19347563575604654, 0.2914496453672208},
              1e-14);
}

std::vector<double> naive_density(const Matrix<double>& unit, Index neighbours) {
  std::vector<double> result;
  for (Index i = 0; i < unit.rows(); ++i) {
    std::vector<double> distances;
    for (Index j = 0; j < unit.rows(); ++j) {
      if (norm_of(row_of(unit, j)) > 0) distances.push_back(distance(row_of(unit, i), row_of(unit, j)));
    }
    std::ranges::sort(distances);
    double sum = 0;
    for (Index l = 0; l <= neighbours && l < std::ssize(distances); ++l)
      sum += distances[static_cast<std::size_t>(l)];
    result.push_back(norm_of(row_of(unit, i)) > 0 ? sum / static_cast<double>(neighbours) : kNaN);
  }
  return result;
}

TEST(LocalDensity, IsThatOfPlainLoopsAtAwkwardSizes) {
  ThreadPool pool;
  for (const auto& [starts, k, n] :
       {std::array<Index, 3>{1, 1, 1}, {3, 1, 4}, {1, 3, 5}, {13, 5, 3}, {33, 4, 7}}) {
    Matrix<double> X = spectra_of_starts(starts, k, n);
    if (X.rows() > 4) {
      clear_row(X, 2);
      clear_row(X, X.rows() - 1);
      for (Index j = 0; j < n; ++j) X(4, j) = 2 * X(0, j) * (j == 1 ? 1 + 1e-9 : 1);  // nearly the same
    }
    const Matrix<double> unit = unit_rows(X.view());
    for (const Index neighbours : {Index{1}, Index{3}, X.rows(), X.rows() + 1}) {
      SCOPED_TRACE(testing::Message() << starts << " x " << k << " x " << n << ", " << neighbours);
      expect_near(local_density(unit.view(), neighbours, pool), naive_density(unit, neighbours), 1e-13);
    }
  }
}

TEST(LocalDensity, SeesDistancesFarBelowTheRoundingOfProducts) {
  Matrix<double> X(2, 2);
  X(0, 0) = X(1, 0) = 1;
  X(1, 1) = 1e-12;
  const Matrix<double> unit = unit_rows(X.view());
  ThreadPool pool;
  expect_near(local_density(unit.view(), 1, pool), {1e-12, 1e-12}, 1e-25);
}

TEST(LocalDensity, OfNothingIsNothingAndNeighboursAreNeeded) {
  ThreadPool pool;
  EXPECT_TRUE(local_density(Matrix<double>(0, 4).view(), 1, pool).empty());
  const Matrix<double> unit(2, 2);
  expect_near(local_density(unit.view(), 1, pool), {kNaN, kNaN}, 0);
  expect_phrase(message_of<InvalidInput>([&] { (void)local_density(unit.view(), 0, pool); }),
                "neighbours = 0");
}

TEST(LocalDensity, HasTheSameBitsForAnyThreads) {
  const Matrix<double> unit = unit_rows(random_matrix(301, 67, 1).view());
  expect_same_for_all_threads([&](ThreadPool& pool) { return local_density(unit.view(), 9, pool); });
}

}  // namespace
}  // namespace anmf::test::consensus_spectra_test
