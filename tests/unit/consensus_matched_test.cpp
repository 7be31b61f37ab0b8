// SPDX-License-Identifier: MIT
// The assignment of least costs, and clusters that every start gives one spectrum to.
#include <algorithm>
#include <array>
#include <limits>

#include "consensus/assignment.h"
#include "support/files_and_messages.h"
#include "support/spectra.h"

namespace anmf::test::consensus_matched_test {
namespace {

using io_test::expect_phrase;
using io_test::message_of;

double cost_of(const Matrix<double>& costs, const std::vector<Index>& columns) {
  double sum = 0;
  for (Index i = 0; i < costs.rows(); ++i) sum += costs(i, columns[static_cast<std::size_t>(i)]);
  return sum;
}

double least_cost_of_all(const Matrix<double>& costs) {
  std::vector<Index> columns = counted(costs.rows());
  double least = std::numeric_limits<double>::infinity();
  do {
    least = std::min(least, cost_of(costs, columns));
  } while (std::ranges::next_permutation(columns).found);
  return least;
}

TEST(LeastAssignment, IsTheBestOfAllUpToSixRows) {
  for (Index k = 0; k <= 6; ++k) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      Matrix<double> costs = random_matrix(k, k, seed, 0.2);
      for (double& cost : costs.values()) {
        if (seed % 2 == 1) cost = std::floor(3 * cost);  // ties
        if (seed % 3 == 2) cost -= 1;
      }
      const std::vector<Index> columns = least_assignment(costs.view());
      std::vector<Index> sorted = columns;
      std::ranges::sort(sorted);
      ASSERT_EQ(sorted, counted(k));
      ASSERT_NEAR(cost_of(costs, columns), least_cost_of_all(costs), 1e-12) << k << ", " << seed;
    }
  }
}

TEST(LeastAssignment, IsScipys) {
  Matrix<double> costs(12, 12);
  for (Index i = 0; i < 12; ++i) {
    for (Index j = 0; j < 12; ++j)
      costs(i, j) = static_cast<double>((i * i * 7 + j * j * 5 + i * j * 11 + 3 * i) % 97);
  }
  EXPECT_EQ(cost_of(costs, least_assignment(costs.view())), 94);  // scipy.optimize.linear_sum_assignment
}

TEST(MatchedClusters, FindTheComponentsWhateverTheirOrder) {
  ThreadPool pool;
  for (const auto& [starts, k, n] :
       {std::array<Index, 3>{7, 3, 8}, {13, 5, 31}, {1, 4, 9}, {3, 1, 5}, {2, 6, 6}}) {
    SCOPED_TRACE(testing::Message() << starts << " x " << k << " x " << n);
    const Matrix<double> unit = unit_rows(spectra_of_starts(starts, k, n).view());
    const std::vector<Index> truth = components_of_starts(starts, k);
    for (const Index first : {Index{0}, starts - 1}) {
      const Clusters clusters = matched_clusters(unit.view(), k, first, pool);
      ASSERT_EQ(clusters.labels.size(), truth.size());
      for (std::size_t i = 0; i < truth.size(); ++i) {  // numbered as in the first start
        EXPECT_EQ(clusters.labels[i], (truth[i] - first % k + k) % k) << i;
      }
      EXPECT_GE(clusters.rounds, 1);
      for (Index c = 0; c < k; ++c) {
        std::vector<double> sum(static_cast<std::size_t>(n), 0.0);
        for (Index i = 0; i < unit.rows(); ++i) {
          if (clusters.labels[static_cast<std::size_t>(i)] != c) continue;
          for (Index j = 0; j < n; ++j) sum[static_cast<std::size_t>(j)] += unit(i, j);
        }
        const double norm = norm_of(sum);
        for (double& x : sum) x /= norm;
        expect_near(row_of(clusters.centres, c), sum, 1e-14);
      }
    }
  }
}

TEST(MatchedClusters, GiveEveryStartOneOfEach) {
  ThreadPool pool;
  const Matrix<double> unit = unit_rows(random_matrix(9 * 4, 5, 3).view());  // with nothing to find
  const Clusters clusters = matched_clusters(unit.view(), 4, 2, pool);
  for (Index s = 0; s < 9; ++s) {
    std::vector<Index> labels(clusters.labels.begin() + s * 4, clusters.labels.begin() + s * 4 + 4);
    Matrix<double> costs(4, 4);
    for (Index i = 0; i < 4; ++i) {
      for (Index c = 0; c < 4; ++c)
        costs(i, c) = 1 - inner_product(row_of(unit, s * 4 + i), row_of(clusters.centres, c));
    }
    EXPECT_NEAR(cost_of(costs, labels), least_cost_of_all(costs), 1e-12) << s;  // nothing moves any more
    std::ranges::sort(labels);
    EXPECT_EQ(labels, counted(4));
  }
  EXPECT_GT(clusters.rounds, 1);
}

TEST(MatchedClusters, LeaveOutSpectraOfZeros) {
  ThreadPool pool;
  Matrix<double> X = spectra_of_starts(5, 3, 9);
  clear_row(X, 4);
  clear_row(X, 6);
  const Clusters clusters = matched_clusters(unit_rows(X.view()).view(), 3, 0, pool);
  std::vector<Index> expected = components_of_starts(5, 3);
  expected[4] = expected[6] = kNoCluster;
  EXPECT_EQ(clusters.labels, expected);

  const Clusters none = matched_clusters(Matrix<double>(6, 4).view(), 3, 0, pool);
  EXPECT_EQ(none.labels, std::vector<Index>(6, kNoCluster));
  EXPECT_EQ(none.centres, Matrix<double>(3, 4));
}

TEST(MatchedClusters, FillACentreThatTheFirstStartLeftEmpty) {
  ThreadPool pool;
  Matrix<double> X = spectra_of_starts(5, 3, 9);
  clear_row(X, 1);
  const Clusters clusters = matched_clusters(unit_rows(X.view()).view(), 3, 0, pool);
  std::vector<Index> expected = components_of_starts(5, 3);
  expected[1] = kNoCluster;
  EXPECT_EQ(clusters.labels, expected);
}

TEST(MatchedClusters, RefuseWhatIsNotRowsOfStarts) {
  ThreadPool pool;
  const Matrix<double> X = spectra_of_starts(3, 2, 4);
  const auto message = [&](Index k, Index first) {
    return message_of<InvalidInput>([&] { (void)matched_clusters(X.view(), k, first, pool); });
  };
  expect_phrase(message(0, 0), "k = 0");
  expect_phrase(message(4, 0), "unit has 6 rows; it must have k = 4 for every start");
  expect_phrase(message(2, 3), "first_start = 3; there are 3 starts");
  expect_phrase(message(2, -1), "first_start = -1");
  Matrix<double> broken = X;
  broken(5, 3) = std::numeric_limits<double>::infinity();
  expect_phrase(message_of<InvalidInput>([&] { (void)matched_clusters(broken.view(), 2, 0, pool); }),
                "unit[5, 3] = inf");
}

TEST(MatchedClusters, HaveTheSameBitsForAnyThreads) {
  const Matrix<double> unit = unit_rows(random_matrix(60 * 5, 150, 4).view());
  expect_same_for_all_threads(
      [&](ThreadPool& pool) { return numbers_of(matched_clusters(unit.view(), 5, 1, pool)); });
}

}  // namespace
}  // namespace anmf::test::consensus_matched_test
