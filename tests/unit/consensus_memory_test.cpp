// SPDX-License-Identifier: MIT
// Nothing is as large as all pairs of spectra or of samples.
#include <array>

#include "support/memory_limit.h"
#include "support/spectra.h"

namespace anmf::test::consensus_memory_test {
namespace {

constexpr rlim_t kSixtyMegabytes = 60'000'000;

TEST(ConsensusMemory, HoldsNotAllPairsOfSpectra) {
  const Matrix<double> unit = unit_rows(random_matrix(4000, 3, 41).view());  // 128 MB of pairs
  std::vector<Index> labels;
  for (Index i = 0; i < unit.rows(); ++i) labels.push_back(i % 4);
  const std::array both = {Distance::euclidean, Distance::cosine};
  ThreadPool pool(1);
  const MemoryLimit limit(kSixtyMegabytes);
  if (!limit.in_force()) GTEST_SKIP() << "Sanitizers allow no limit.";
  EXPECT_EQ(local_density(unit.view(), 7, pool).size(), 4000U);
  EXPECT_EQ(silhouettes(unit.view(), labels, 4, both, pool).size(), 2U);
  EXPECT_GT(instability(unit.view(), 4, pool), 0);
  EXPECT_EQ(matched_clusters(unit.view(), 4, 0, pool).labels.size(), 4000U);
  EXPECT_EQ(free_clusters(unit.view(), 4, {}, 0, pool).labels.size(), 4000U);
}

TEST(ConsensusMemory, HoldsNotAllPairsOfSamples) {
  SampleLabels labels(3, 200'000);  // 160 GB of pairs
  for (Index c = 0; c < labels.size(); ++c) labels.data()[c] = static_cast<std::uint16_t>(1 + c * c % 7 % 5);
  ThreadPool pool(1);
  const MemoryLimit limit(kSixtyMegabytes);
  if (!limit.in_force()) GTEST_SKIP() << "Sanitizers allow no limit.";
  EXPECT_LT(dispersion(labels, 5, pool), 1);
  EXPECT_EQ(consensus_matrix(labels, sampled_rows(200'000, 100, 1), pool).rows(), 100);
}

}  // namespace
}  // namespace anmf::test::consensus_memory_test
