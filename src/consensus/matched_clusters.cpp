// SPDX-License-Identifier: MIT
// With the spectra x of a start (k x n) and the centres c (k x n), all of norm 1 or 0: the assignment of the
// least sum of 1 - x'c, start by start; then c = the sum of its spectra, scaled to norm 1.
#include <fmt/format.h>

#include <utility>

#include "anmf/consensus.h"
#include "anmf/error.h"
#include "consensus/assignment.h"
#include "consensus/cluster_sums.h"
#include "consensus/unit_spectra.h"
#include "core/blas.h"

namespace anmf {
namespace {

constexpr Index kMostRounds = 100;

/// The labels of the spectra of every start, those of zeros included: each takes a centre that is left over,
/// since all are equally far.
std::vector<Index> match_starts(ConstMatrixView<double> unit, ConstMatrixView<double> centres,
                                ThreadPool& pool) {
  const Index k = centres.rows;
  std::vector<Index> labels(static_cast<std::size_t>(unit.rows));
  const double flops = 2 * static_cast<double>(unit.rows * k) * static_cast<double>(unit.cols + k);
  pool.for_each_chunk(unit.rows / k, flops, [&](Index start) {
    Matrix<double> costs(k, k, 1.0);
    blas::gemm<double>(blas::Op::none, blas::Op::transpose, -1.0,
                       unit.middle_rows(start * k, (start + 1) * k), centres, 1.0, costs.view());
    const std::vector<Index> columns = least_assignment(costs.view());
    for (Index i = 0; i < k; ++i) {
      labels[static_cast<std::size_t>(start * k + i)] = columns[static_cast<std::size_t>(i)];
    }
  });
  return labels;
}

}  // namespace

Clusters matched_clusters(ConstMatrixView<double> unit, Index k, Index first_start, ThreadPool& pool) {
  const Index starts = check_starts("unit", unit, k);
  if (first_start < 0 || first_start >= starts) {
    throw InvalidInput(
        fmt::format("first_start = {}; there are {} starts, counted from 0.", first_start, starts));
  }
  const std::vector<double> squares = squared_norms(unit);
  Clusters clusters;
  clusters.centres = unit_rows(unit.middle_rows(first_start * k, (first_start + 1) * k));
  while (clusters.rounds < kMostRounds) {
    std::vector<Index> labels = match_starts(unit, clusters.centres.view(), pool);
    for (std::size_t i = 0; i < labels.size(); ++i) {
      if (squares[i] == 0) labels[i] = kNoCluster;
    }
    if (labels == clusters.labels) break;
    clusters.labels = std::move(labels);
    clusters.centres = unit_rows(cluster_sums(unit, clusters.labels, k, pool).view());
    ++clusters.rounds;
  }
  return clusters;
}

}  // namespace anmf
