// SPDX-License-Identifier: MIT
// Of S labellings of m samples. Let Q_s be the number of ordered pairs (i, j) of samples that start s puts
// together, and T_st that of the pairs which s and t both put together; by a table N of the labels of both,
//   Q_s = sum_a n_a^2,  T_st = sum_ab N_ab^2,
// and where somebody has no label, the pair of a sample with itself besides. With C = mean_s of 0 and 1,
//   1 + (4 / m^2) sum_ij (C_ij^2 - C_ij) = 1 - 4 / (S m)^2 sum_{s<t} (Q_s + Q_t - 2 T_st):
// in brackets are the pairs on which s and t disagree, a whole number, so that 1 is 1.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "anmf/consensus.h"
#include "anmf/error.h"
#include "consensus/sample_labels.h"
#include "core/chunks.h"

namespace anmf {
namespace {

// Tables are filled side by side, as counting again what was just counted has to wait.
constexpr Index kTables = 4;

Index squared(Index count) { return count * count; }

Index pairs_together(std::span<const std::uint16_t> labels, Index k) {
  std::vector<Index> sizes(static_cast<std::size_t>(k + 1), 0);
  for (const std::uint16_t label : labels) ++sizes[label];
  Index pairs = sizes[0];
  for (std::size_t a = 1; a < sizes.size(); ++a) pairs += squared(sizes[a]);
  return pairs;
}

/// From the table of two starts, (k + 1) x (k + 1).
Index pairs_together_in_both(std::span<const Index> table, Index k) {
  const auto width = static_cast<std::size_t>(k + 1);
  Index pairs = 0;
  for (std::size_t cell = 0; cell < table.size(); ++cell) {
    const bool labelled = cell >= width && cell % width != 0;
    pairs += labelled ? squared(table[cell]) : table[cell];
  }
  return pairs;
}

}  // namespace

double dispersion(const SampleLabels& labels, Index k, ThreadPool& pool) {
  check_labels(labels, k);
  const Index starts = labels.rows();
  const Index samples = labels.cols();
  if (starts < 2 || samples == 0) return std::numeric_limits<double>::quiet_NaN();
  std::vector<Index> together(static_cast<std::size_t>(starts));
  for (Index s = 0; s < starts; ++s)
    together[static_cast<std::size_t>(s)] = pairs_together(labels_of(labels, s), k);

  PartialSums<1> disagreements(starts);
  const double steps = static_cast<double>(starts) * static_cast<double>(starts) / 2;
  pool.for_each_chunk(starts, steps * static_cast<double>(samples), [&](Index s) {
    const Index width = k + 1;
    Matrix<Index> tables(kTables, width * width);
    const std::span<const std::uint16_t> own = labels_of(labels, s);
    for (Index first = s + 1; first < starts; first += kTables) {
      pool.look();
      std::ranges::fill(tables.values(), 0);
      std::array<const std::uint16_t*, kTables> others{};
      for (Index t = 0; t < kTables; ++t) {
        others[static_cast<std::size_t>(t)] = labels_of(labels, std::min(first + t, starts - 1)).data();
      }
      for (std::size_t i = 0; i < own.size(); ++i) {
        const Index row = own[i] * width;
        for (std::size_t t = 0; t < others.size(); ++t) ++tables(static_cast<Index>(t), row + others[t][i]);
      }
      for (Index t = 0; t < std::min(kTables, starts - first); ++t) {
        const std::span<const Index> table(tables.view().row(t), static_cast<std::size_t>(tables.cols()));
        const Index both = pairs_together_in_both(table, k);
        disagreements.at(s)[0] += static_cast<double>(
            together[static_cast<std::size_t>(s)] + together[static_cast<std::size_t>(first + t)] - 2 * both);
      }
    }
  });
  const double all = static_cast<double>(starts) * static_cast<double>(samples);
  return 1 - 4 * (disagreements.total()[0] / all / all);
}

}  // namespace anmf
