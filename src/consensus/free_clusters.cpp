// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "anmf/consensus.h"
#include "anmf/error.h"
#include "consensus/k_means.h"
#include "consensus/unit_spectra.h"

namespace anmf {
namespace {

/// The middle one, or the mean of the two in the middle.
double median(std::span<double> values) {
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::ranges::nth_element(values, middle);
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

/// The entrywise medians of these rows.
void take_medians(ConstMatrixView<double> X, std::span<const Index> rows, double* result, ThreadPool& pool) {
  const Chunks columns(X.cols, 64);
  const double steps = 20 * static_cast<double>(X.cols) * static_cast<double>(rows.size());
  pool.for_each_chunk(columns.count(), steps, [&](Index chunk) {
    const Index begin = columns.begin(chunk);
    Matrix<double> entries(columns.end(chunk) - begin, std::ssize(rows));
    for (Index i = 0; i < entries.cols(); ++i) {
      const double* const row = X.row(rows[static_cast<std::size_t>(i)]) + begin;
      for (Index j = 0; j < entries.rows(); ++j) entries(j, i) = row[j];
    }
    for (Index j = 0; j < entries.rows(); ++j) {
      result[begin + j] =
          median(entries.values().subspan(static_cast<std::size_t>(j) * rows.size(), rows.size()));
    }
  });
}

/// k x n; a cluster without rows has zeros, as one whose medians are all zero.
Matrix<double> median_centres(ConstMatrixView<double> X, std::span<const Index> labels, Index k,
                              ThreadPool& pool) {
  Matrix<double> centres(k, X.cols);
  for (Index c = 0; c < k; ++c) {
    std::vector<Index> members;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      if (labels[i] == c) members.push_back(static_cast<Index>(i));
    }
    if (members.empty()) continue;
    double* const centre = centres.view().row(c);
    take_medians(X, members, centre, pool);
    const double sum = std::accumulate(centre, centre + X.cols, 0.0);
    if (sum == 0) continue;
    for (Index j = 0; j < X.cols; ++j) centre[j] /= sum;
  }
  return centres;
}

std::vector<Index> rows_to_cluster(ConstMatrixView<double> unit, std::span<const bool> kept) {
  const std::vector<double> squares = squared_norms(unit);
  std::vector<Index> rows;
  for (std::size_t i = 0; i < squares.size(); ++i) {
    if (squares[i] > 0 && (kept.empty() || kept[i])) rows.push_back(static_cast<Index>(i));
  }
  return rows;
}

}  // namespace

Clusters free_clusters(ConstMatrixView<double> unit, Index k, std::span<const bool> kept, std::uint64_t seed,
                       ThreadPool& pool) {
  if (k < 1) throw InvalidInput(fmt::format("k = {}; there must be at least one component.", k));
  if (!kept.empty() && std::ssize(kept) != unit.rows) {
    throw InvalidInput(fmt::format("kept has {} values for {} spectra; it must have one for each, or none.",
                                   kept.size(), unit.rows));
  }
  check_spectra("unit", unit);
  const std::vector<Index> rows = rows_to_cluster(unit, kept);
  if (std::ssize(rows) < k) {
    throw InvalidInput(fmt::format(
        "Only {} of {} spectra are kept, and they shall form {} clusters; keep more of them by a higher "
        "density threshold (2 keeps all but those of zeros), or choose fewer components.",
        rows.size(), unit.rows, k));
  }
  Matrix<double> X(std::ssize(rows), unit.cols);
  for (Index i = 0; i < X.rows(); ++i) {
    std::copy_n(unit.row(rows[static_cast<std::size_t>(i)]), unit.cols, X.view().row(i));
  }
  Clusters found = k_means(X.view(), k, seed, pool);
  Clusters clusters;
  clusters.centres = median_centres(X.view(), found.labels, k, pool);
  clusters.rounds = found.rounds;
  clusters.labels.assign(static_cast<std::size_t>(unit.rows), kNoCluster);
  for (std::size_t i = 0; i < rows.size(); ++i)
    clusters.labels[static_cast<std::size_t>(rows[i])] = found.labels[i];
  return clusters;
}

}  // namespace anmf
