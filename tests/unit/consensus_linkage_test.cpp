// SPDX-License-Identifier: MIT
// Linkages and cophenetic correlations, beside scipy's.
#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "support/files_and_messages.h"
#include "support/spectra.h"

namespace anmf::test::consensus_linkage_test {
namespace {

using io_test::expect_phrase;
using io_test::message_of;

void expect_joins(const Linkage& linkage, const std::vector<Linkage::Join>& expected, double tolerance) {
  ASSERT_EQ(linkage.joins.size(), expected.size());
  for (std::size_t t = 0; t < expected.size(); ++t) {
    EXPECT_EQ(linkage.joins[t].a, expected[t].a) << t;
    EXPECT_EQ(linkage.joins[t].b, expected[t].b) << t;
    EXPECT_EQ(linkage.joins[t].size, expected[t].size) << t;
    EXPECT_NEAR(linkage.joins[t].height, expected[t].height, tolerance) << t;
  }
}

Matrix<float> less_than_one(const Matrix<float>& D) {
  Matrix<float> C(D.rows(), D.cols());
  for (Index i = 0; i < D.size(); ++i) C.data()[i] = 1 - D.data()[i];
  return C;
}

// scipy.cluster.hierarchy: linkage(D, "average"), leaves_list, and corrcoef with cophenet.
TEST(AverageLinkage, IsScipys) {
  Matrix<float> D(9, 9);
  for (Index i = 0; i < 9; ++i) {
    for (Index j = 0; j < i; ++j)
      D(i, j) = D(j, i) = static_cast<float>((j * 37 + i * i * 11 + j * i * 5) % 64) / 64;
  }
  const Linkage linkage = average_linkage(D);
  expect_joins(linkage,
               {{0, 8, 0, 2},
                {5, 7, 0.046875, 2},
                {2, 3, 0.171875, 2},
                {1, 9, 0.1875, 3},
                {6, 12, 0.21354166666666666, 4},
                {10, 13, 0.3203125, 6},
                {11, 14, 0.4622395833333333, 8},
                {4, 15, 0.578125, 9}},
               1e-15);
  EXPECT_EQ(linkage.order, (std::vector<Index>{4, 2, 3, 5, 7, 6, 1, 0, 8}));
  EXPECT_NEAR(cophenetic(less_than_one(D), linkage), 0.6725225300225078, 1e-14);
}

TEST(AverageLinkage, IsScipysAlsoWhereDistancesAreEqual) {
  ThreadPool pool;
  const SampleLabels labels = eleven_samples();
  const Matrix<float> C = consensus_matrix(labels, counted(labels.cols()), pool);
  const Linkage linkage = average_linkage(less_than_one(C));
  expect_joins(linkage,
               {{0, 6, 0, 2},
                {1, 7, 0, 2},
                {2, 8, 0, 2},
                {3, 9, 0, 2},
                {4, 10, 0, 2},
                {5, 12, 0.5, 3},
                {11, 14, 0.5, 4},
                {15, 16, 0.5, 5},
                {13, 18, 0.6, 7},
                {17, 19, 0.6964285714285714, 11}},
               1e-15);
  EXPECT_EQ(linkage.order, (std::vector<Index>{0, 6, 3, 9, 2, 8, 4, 10, 5, 1, 7}));
  EXPECT_NEAR(cophenetic(C, linkage), 0.8010546655949261, 1e-14);
}

// Items 2 and 3 are as near to each other as 2 and 1: scipy joins those between which its chain ends.
TEST(AverageLinkage, JoinsTheOnesThatScipyJoinsOfEquallyNearOnes) {
  Matrix<float> D(4, 4);
  const std::array<float, 6> distances = {3, 3, 2, 1, 3, 1};
  std::size_t next = 0;
  for (Index i = 0; i < 4; ++i) {
    for (Index j = i + 1; j < 4; ++j) D(i, j) = D(j, i) = distances[next++];
  }
  const Linkage linkage = average_linkage(D);
  expect_joins(linkage, {{2, 3, 1, 2}, {1, 4, 2, 3}, {0, 5, 2.6666666666666665, 4}}, 1e-15);
  EXPECT_EQ(linkage.order, counted(4));
}

/// Joins the two nearest clusters, by the means over all their pairs, again and again.
std::vector<double> naive_heights(const Matrix<float>& D) {
  std::vector<std::vector<Index>> clusters;
  for (Index i = 0; i < D.rows(); ++i) clusters.push_back({i});
  std::vector<double> heights;
  while (clusters.size() > 1) {
    double least = std::numeric_limits<double>::infinity();
    std::size_t a = 0;
    std::size_t b = 0;
    for (std::size_t x = 0; x < clusters.size(); ++x) {
      for (std::size_t y = x + 1; y < clusters.size(); ++y) {
        double sum = 0;
        for (const Index i : clusters[x]) {
          for (const Index j : clusters[y]) sum += static_cast<double>(D(i, j));
        }
        const double mean = sum / static_cast<double>(clusters[x].size() * clusters[y].size());
        if (mean >= least) continue;
        least = mean;
        a = x;
        b = y;
      }
    }
    heights.push_back(least);
    clusters[a].insert(clusters[a].end(), clusters[b].begin(), clusters[b].end());
    clusters.erase(clusters.begin() + static_cast<std::ptrdiff_t>(b));
  }
  return heights;
}

Matrix<float> random_distances(Index count, std::uint64_t seed) {
  Matrix<float> D(count, count);
  for (Index i = 0; i < count; ++i) {
    for (Index j = 0; j < i; ++j) D(i, j) = D(j, i) = static_cast<float>(uniform(seed, 1005, i * count + j));
  }
  return D;
}

TEST(AverageLinkage, JoinsTheNearestClusters) {
  for (const Index count : {1, 2, 3, 10, 41}) {
    const Matrix<float> D = random_distances(count, 36);
    const Linkage linkage = average_linkage(D);
    std::vector<double> heights;
    for (const Linkage::Join& join : linkage.joins) heights.push_back(join.height);
    expect_near(heights, naive_heights(D), 1e-12);
    std::vector<Index> order = linkage.order;
    std::ranges::sort(order);
    EXPECT_EQ(order, counted(count));
  }
  EXPECT_TRUE(average_linkage(Matrix<float>()).joins.empty());
  EXPECT_TRUE(average_linkage(Matrix<float>()).order.empty());
}

TEST(Cophenetic, IsTheCorrelationOverAllPairs) {
  const Matrix<float> D = random_distances(30, 37);
  const Matrix<float> C = less_than_one(D);
  const Linkage linkage = average_linkage(D);
  Matrix<double> heights(30, 30);
  std::vector<std::vector<Index>> items;
  for (Index i = 0; i < 30; ++i) items.push_back({i});
  for (const Linkage::Join& join : linkage.joins) {
    std::vector<Index> both = items[static_cast<std::size_t>(join.a)];
    for (const Index i : items[static_cast<std::size_t>(join.a)]) {
      for (const Index j : items[static_cast<std::size_t>(join.b)])
        heights(i, j) = heights(j, i) = join.height;
    }
    const std::vector<Index>& others = items[static_cast<std::size_t>(join.b)];
    both.insert(both.end(), others.begin(), others.end());
    items.push_back(both);
  }
  std::vector<double> d;
  std::vector<double> h;
  for (Index i = 0; i < 30; ++i) {
    for (Index j = 0; j < i; ++j) {
      d.push_back(1 - static_cast<double>(C(i, j)));
      h.push_back(heights(i, j));
    }
  }
  for (std::vector<double>* values : {&d, &h}) {
    const double mean =
        std::accumulate(values->begin(), values->end(), 0.0) / static_cast<double>(values->size());
    for (double& value : *values) value -= mean;
  }
  EXPECT_NEAR(cophenetic(C, linkage), inner_product(d, h) / (norm_of(d) * norm_of(h)), 1e-13);
}

TEST(Cophenetic, IsOneForBlocksAndNotKnownWhereNothingVaries) {
  Matrix<float> blocks(6, 6);
  for (Index i = 0; i < 6; ++i) {
    for (Index j = 0; j < 6; ++j) blocks(i, j) = i % 2 == j % 2 ? 1 : 0;
  }
  EXPECT_NEAR(cophenetic(blocks, average_linkage(less_than_one(blocks))), 1, 1e-15);
  for (const Index count : {0, 1, 2, 5}) {
    const Matrix<float> equal(count, count, 0.7F);
    EXPECT_TRUE(std::isnan(cophenetic(equal, average_linkage(less_than_one(equal))))) << count;
  }
}

TEST(AverageLinkage, RefusesWhatIsNotASquareOfNumbers) {
  expect_phrase(message_of<InvalidInput>([] { (void)average_linkage(Matrix<float>(2, 3)); }),
                "distances is 2 x 3");
  Matrix<float> D(2, 2);
  D(0, 1) = std::numeric_limits<float>::quiet_NaN();
  expect_phrase(message_of<InvalidInput>([&] { (void)average_linkage(D); }), "distances[0, 1] = nan");
  expect_phrase(message_of<InvalidInput>([] { (void)cophenetic(Matrix<float>(2, 3), {}); }),
                "consensus is 2 x 3");
  expect_phrase(message_of<InvalidInput>([] { (void)cophenetic(Matrix<float>(2, 2), {}); }),
                "The linkage is of 0 samples, and the consensus of 2.");
}

}  // namespace
}  // namespace anmf::test::consensus_linkage_test
