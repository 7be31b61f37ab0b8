// SPDX-License-Identifier: MIT
// C_ij = the share of starts in which the samples i and j have the same label, of some of m samples.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "anmf/consensus.h"
#include "anmf/error.h"
#include "consensus/sample_labels.h"
#include "core/chunks.h"
#include "core/random.h"

namespace anmf {

std::vector<Index> sampled_rows(Index m, Index count, std::uint64_t seed) {
  if (m < 0 || count < 0) {
    throw InvalidInput(fmt::format("{} of {} samples; both must be >= 0.", count, m));
  }
  // Each sample from the last ones that may be new: itself, or any before it that nobody has drawn. All
  // choices are equally likely, and nothing is as long as m.
  std::set<Index> drawn;
  for (Index last = std::max<Index>(0, m - count); last < m; ++last) {
    const double place = uniform(seed, streams::kSamples, last) * static_cast<double>(last + 1);
    if (!drawn.insert(std::min(last, static_cast<Index>(place))).second) drawn.insert(last);
  }
  return {drawn.begin(), drawn.end()};
}

Matrix<float> consensus_matrix(const SampleLabels& labels, std::span<const Index> samples, ThreadPool& pool) {
  const auto count = std::ssize(samples);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (samples[i] >= 0 && samples[i] < labels.cols()) continue;
    throw InvalidInput(
        fmt::format("samples[{}] = {}; there are {} samples, counted from 0.", i, samples[i], labels.cols()));
  }
  const Index starts = labels.rows();
  SampleLabels sampled(starts, count);
  for (Index s = 0; s < starts; ++s) {
    for (Index j = 0; j < count; ++j) sampled(s, j) = labels(s, samples[static_cast<std::size_t>(j)]);
  }
  Matrix<float> C(count, count);
  const Chunks chunks(count, 16, 1024);
  const double steps = static_cast<double>(count) * static_cast<double>(count) * static_cast<double>(starts);
  pool.for_each_chunk(chunks.count(), steps, [&](Index chunk) {
    std::vector<std::uint32_t> together(samples.size());
    for (Index i = chunks.begin(chunk); i < chunks.end(chunk); ++i) {
      std::ranges::fill(together, 0U);
      for (Index s = 0; s < starts; ++s) {
        const std::span<const std::uint16_t> row = labels_of(sampled, s);
        const std::uint16_t own = row[static_cast<std::size_t>(i)];
        if (own == 0) continue;
        for (std::size_t j = 0; j < row.size(); ++j) together[j] += row[j] == own ? 1U : 0U;
      }
      for (Index j = 0; j < count; ++j) {
        const double share = static_cast<double>(together[static_cast<std::size_t>(j)]) /
                             static_cast<double>(std::max<Index>(1, starts));
        C(i, j) = i == j ? 1.0F : static_cast<float>(share);
      }
    }
  });
  return C;
}

}  // namespace anmf
