// SPDX-License-Identifier: MIT
// What the labels of samples agree on: dispersion, the consensus matrix, its linkage and cophenetic
// correlation.
#include <algorithm>
#include <limits>
#include <numeric>
#include <set>

#include "support/files_and_messages.h"
#include "support/spectra.h"

namespace anmf::test::consensus_samples_test {
namespace {

using io_test::expect_phrase;
using io_test::message_of;

SampleLabels random_labels(Index starts, Index samples, Index k, std::uint64_t seed, double without = 0) {
  SampleLabels labels(starts, samples);
  for (Index c = 0; c < labels.size(); ++c) {
    const auto label =
        static_cast<std::uint16_t>(1 + static_cast<Index>(uniform(seed, 1003, c) * static_cast<double>(k)));
    labels.data()[c] = uniform(seed, 1004, c) < without ? std::uint16_t{0} : label;
  }
  return labels;
}

/// The share of starts which put two samples together.
double share(const SampleLabels& labels, Index i, Index j) {
  if (i == j) return 1;
  double together = 0;
  for (Index s = 0; s < labels.rows(); ++s)
    together += labels(s, i) != 0 && labels(s, i) == labels(s, j) ? 1 : 0;
  return together / static_cast<double>(labels.rows());
}

/// As R's NMF package has it: the mean of 4 (C - 1/2)^2 over the whole matrix.
double naive_dispersion(const SampleLabels& labels) {
  double sum = 0;
  for (Index i = 0; i < labels.cols(); ++i) {
    for (Index j = 0; j < labels.cols(); ++j) sum += 4 * std::pow(share(labels, i, j) - 0.5, 2);
  }
  return sum / static_cast<double>(labels.cols() * labels.cols());
}

std::vector<Index> all_samples(const SampleLabels& labels) {
  std::vector<Index> samples(static_cast<std::size_t>(labels.cols()));
  std::iota(samples.begin(), samples.end(), Index{0});
  return samples;
}

TEST(Dispersion, IsThatOfTheWholeConsensusMatrix) {
  ThreadPool pool;
  for (const Index starts : {2, 3, 5, 6, 9, 14}) {
    for (const Index samples : {1, 2, 3, 33}) {
      for (const Index k : {1, 2, 5}) {
        for (const double without : {0.0, 0.3, 1.0}) {
          SCOPED_TRACE(testing::Message() << starts << " x " << samples << ", k = " << k << ", " << without);
          const SampleLabels labels = random_labels(starts, samples, k, 31, without);
          EXPECT_NEAR(dispersion(labels, k, pool), naive_dispersion(labels), 1e-14);
          EXPECT_EQ(dispersion(labels, k, pool), dispersion(labels, k + 3, pool));
        }
      }
    }
  }
}

// numpy: (4 * (C - 0.5) ** 2).mean()
SampleLabels eleven_samples() {
  SampleLabels labels(4, 11);
  for (Index s = 0; s < 4; ++s) {
    for (Index i = 0; i < 11; ++i)
      labels(s, i) = static_cast<std::uint16_t>(1 + (i * i + s * i * 3 + s * s * i / 2) % 3);
  }
  return labels;
}

TEST(Dispersion, IsNumpys) {
  ThreadPool pool;
  EXPECT_NEAR(dispersion(eleven_samples(), 3, pool), 0.3305785123966942, 1e-15);
}

TEST(Dispersion, IsOneWhereAllStartsAgreeWhateverTheNames) {
  ThreadPool pool;
  SampleLabels labels = random_labels(7, 101, 4, 32, 0.1);
  for (Index s = 1; s < 7; ++s) {
    for (Index i = 0; i < 101; ++i) {
      const auto first = labels(0, i);
      labels(s, i) = first == 0 ? first : static_cast<std::uint16_t>(1 + (first + s) % 4);
    }
  }
  EXPECT_EQ(dispersion(labels, 4, pool), 1);
}

TEST(Dispersion, OfOneStartOrNoSamplesIsNotKnown) {
  ThreadPool pool;
  EXPECT_TRUE(std::isnan(dispersion(SampleLabels(1, 5), 2, pool)));
  EXPECT_TRUE(std::isnan(dispersion(SampleLabels(0, 5), 2, pool)));
  EXPECT_TRUE(std::isnan(dispersion(SampleLabels(3, 0), 2, pool)));
}

TEST(Dispersion, RefusesLabelsThatAreNone) {
  ThreadPool pool;
  SampleLabels labels(2, 3);
  labels(1, 2) = 4;
  expect_phrase(message_of<InvalidInput>([&] { (void)dispersion(labels, 3, pool); }),
                "labels[1, 2] = 4 (row and column counted from 0); labels are 1 to k = 3");
  EXPECT_THROW((void)dispersion(labels, 0, pool), InvalidInput);
  EXPECT_THROW((void)dispersion(labels, 65536, pool), InvalidInput);
}

TEST(Dispersion, HasTheSameBitsForAnyThreads) {
  const SampleLabels labels = random_labels(23, 1999, 6, 33, 0.05);
  expect_same_for_all_threads([&](ThreadPool& pool) { return std::vector{dispersion(labels, 6, pool)}; });
}

TEST(SampledRows, AreDifferentAndAscending) {
  for (const Index m : {0, 1, 3, 1000}) {
    for (const Index count : {Index{0}, Index{1}, Index{2}, m, m + 1}) {
      const std::vector<Index> rows = sampled_rows(m, count, 9);
      EXPECT_EQ(std::ssize(rows), std::min(m, count));
      EXPECT_TRUE(std::ranges::is_sorted(rows));
      EXPECT_EQ(std::set<Index>(rows.begin(), rows.end()).size(), rows.size());
      EXPECT_TRUE(rows.empty() || (rows.front() >= 0 && rows.back() < m));
    }
  }
  EXPECT_EQ(sampled_rows(Index{1} << 50, 3, 9).size(), 3U);
  EXPECT_EQ(sampled_rows(1000, 20, 9), sampled_rows(1000, 20, 9));
  EXPECT_NE(sampled_rows(1000, 20, 9), sampled_rows(1000, 20, 10));
  EXPECT_THROW((void)sampled_rows(-1, 2, 0), InvalidInput);
  EXPECT_THROW((void)sampled_rows(3, -2, 0), InvalidInput);
}

TEST(SampledRows, AreAllEquallyLikely) {
  std::vector<double> drawn(10, 0.0);
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    for (const Index row : sampled_rows(10, 3, seed)) ++drawn[static_cast<std::size_t>(row)];
  }
  for (const double times : drawn) EXPECT_NEAR(times, 1200, 5 * std::sqrt(4000 * 0.3 * 0.7));
}

TEST(ConsensusMatrix, HoldsSharesOfStarts) {
  ThreadPool pool;
  for (const Index starts : {1, 2, 7}) {
    for (const Index count : {1, 3, 17, 65}) {
      const SampleLabels labels = random_labels(starts, count, 3, 34, 0.2);
      std::vector<Index> samples = all_samples(labels);
      std::ranges::reverse(samples);
      if (count > 3) samples.resize(static_cast<std::size_t>(count) - 2);
      const Matrix<float> C = consensus_matrix(labels, samples, pool);
      ASSERT_EQ(C.rows(), std::ssize(samples));
      for (Index i = 0; i < C.rows(); ++i) {
        for (Index j = 0; j < C.cols(); ++j) {
          const double expected =
              share(labels, samples[static_cast<std::size_t>(i)], samples[static_cast<std::size_t>(j)]);
          EXPECT_EQ(C(i, j), static_cast<float>(expected)) << i << ", " << j;
        }
      }
    }
  }
  EXPECT_EQ(consensus_matrix(SampleLabels(3, 4), {}, pool).size(), 0);
  const Matrix<float> without = consensus_matrix(SampleLabels(0, 2), std::vector<Index>{0, 1}, pool);
  EXPECT_EQ(without(0, 0), 1);
  EXPECT_EQ(without(0, 1), 0);
}

TEST(ConsensusMatrix, NamesASampleThatIsNone) {
  ThreadPool pool;
  expect_phrase(message_of<InvalidInput>(
                    [&] { (void)consensus_matrix(SampleLabels(2, 4), std::vector<Index>{1, 4}, pool); }),
                "samples[1] = 4; there are 4 samples");
  EXPECT_THROW((void)consensus_matrix(SampleLabels(2, 4), std::vector<Index>{-1}, pool), InvalidInput);
}

TEST(ConsensusMatrix, HasTheSameBitsForAnyThreads) {
  const SampleLabels labels = random_labels(30, 203, 5, 35, 0.05);
  expect_same_for_all_threads([&](ThreadPool& pool) {
    const Matrix<float> C = consensus_matrix(labels, all_samples(labels), pool);
    return std::vector<double>(C.values().begin(), C.values().end());
  });
}

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
  const Matrix<float> C = consensus_matrix(labels, all_samples(labels), pool);
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
    std::vector<Index> all(static_cast<std::size_t>(count));
    std::iota(all.begin(), all.end(), Index{0});
    EXPECT_EQ(order, all);
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
}  // namespace anmf::test::consensus_samples_test
