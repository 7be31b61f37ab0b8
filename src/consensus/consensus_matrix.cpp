// SPDX-License-Identifier: MIT
// C_ij = the share of starts in which the samples i and j have the same label, of some of m samples.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <span>
#include <vector>

#include "anmf/consensus.h"
#include "anmf/error.h"
#include "consensus/sample_labels.h"
#include "core/chunks.h"
#include "core/random.h"

namespace anmf {
namespace {

// Of labels and counters of the same width the compiler makes the fastest loop.
using Counter = std::uint16_t;
constexpr Index kCountable = std::numeric_limits<Counter>::max();

/// Adds how often the samples have the label of sample i in the starts [begin, end), at most kCountable.
void count_together(const SampleLabels& labels, Index i, Index begin, Index end, std::span<double> together) {
  std::vector<Counter> counts(together.size(), 0);
  for (Index s = begin; s < end; ++s) {
    const std::span<const std::uint16_t> row = labels_of(labels, s);
    const std::uint16_t own = row[static_cast<std::size_t>(i)];
    if (own == 0) continue;
    for (std::size_t j = 0; j < row.size(); ++j)
      counts[j] = static_cast<Counter>(counts[j] + (row[j] == own ? 1 : 0));
  }
  for (std::size_t j = 0; j < counts.size(); ++j) together[j] += counts[j];
}

}  // namespace

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
    std::vector<double> together(samples.size());
    for (Index i = chunks.begin(chunk); i < chunks.end(chunk); ++i) {
      std::ranges::fill(together, 0.0);
      for (Index begin = 0; begin < starts; begin += kCountable)
        count_together(sampled, i, begin, std::min(starts, begin + kCountable), together);
      for (Index j = 0; j < count; ++j) {
        const double share =
            together[static_cast<std::size_t>(j)] / static_cast<double>(std::max<Index>(1, starts));
        C(i, j) = i == j ? 1.0F : static_cast<float>(share);
      }
    }
  });
  return C;
}

}  // namespace anmf
