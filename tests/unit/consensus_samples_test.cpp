// SPDX-License-Identifier: MIT
// What the labels of samples agree on: dispersion, the consensus matrix, its linkage and cophenetic
// correlation.
#include <algorithm>
#include <limits>
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
      std::vector<Index> samples = counted(labels.cols());
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
    const Matrix<float> C = consensus_matrix(labels, counted(labels.cols()), pool);
    return std::vector<double>(C.values().begin(), C.values().end());
  });
}

}  // namespace
}  // namespace anmf::test::consensus_samples_test
