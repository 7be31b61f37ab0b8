// SPDX-License-Identifier: MIT
#include "survey/rank_measures.h"

#include <cmath>
#include <span>
#include <utility>
#include <vector>

namespace anmf {
namespace {

/// Of the rows of X.
template <class T>
double mean_sparseness(const Matrix<T>& X) {
  double sum = 0;
  Index known = 0;
  std::vector<double> row(static_cast<std::size_t>(X.cols()));
  for (Index p = 0; p < X.rows(); ++p) {
    for (Index j = 0; j < X.cols(); ++j) row[static_cast<std::size_t>(j)] = static_cast<double>(X(p, j));
    const double value = sparseness(row);
    if (std::isnan(value)) continue;
    sum += value;
    ++known;
  }
  return known == 0 ? RankSummary::kNone : sum / static_cast<double>(known);
}

/// Similar samples beside each other.
Matrix<float> in_order_of(const Matrix<float>& shares, const std::vector<Index>& order) {
  Matrix<float> sorted(shares.rows(), shares.cols());
  for (Index i = 0; i < sorted.rows(); ++i) {
    const Index row = order[static_cast<std::size_t>(i)];
    for (Index j = 0; j < sorted.cols(); ++j) sorted(i, j) = shares(row, order[static_cast<std::size_t>(j)]);
  }
  return sorted;
}

}  // namespace

template <class T>
void take_sparseness(const JobResult<T>& best, Side spectra, RankSummary& summary) {
  if (best.usages.size() == 0) return;
  double& of_spectra = spectra == Side::H ? summary.sparseness_h : summary.sparseness_w;
  double& of_usages = spectra == Side::H ? summary.sparseness_w : summary.sparseness_h;
  of_spectra = mean_sparseness(best.spectra);
  of_usages = mean_sparseness(transposed(best.usages));
}

template <class T>
void take_spread_of_starts(const RankSpectra& all, const SurveyOptions& options, ThreadPool& pool,
                           RankConsensus<T>& found) {
  const Index rank = found.summary.rank;
  if (all.starts.size() < 2 || rank < 2) return;
  found.summary.instability = instability(all.spectra.view(), rank, pool);
  found.summary.dispersion = dispersion(all.labels, rank, pool);
  const std::vector<Index> sampled = sampled_rows(all.labels.cols(), options.consensus_rows, options.seed);
  const Matrix<float> shares = consensus_matrix(all.labels, sampled, pool);
  Matrix<float> distances(shares.rows(), shares.cols());
  for (Index i = 0; i < shares.size(); ++i) distances.data()[i] = 1 - shares.data()[i];
  const Linkage linkage = average_linkage(distances);
  distances = {};
  found.summary.cophenetic = cophenetic(shares, linkage);
  found.consensus = in_order_of(shares, linkage.order);
  for (const Index place : linkage.order) found.sampled.push_back(sampled[static_cast<std::size_t>(place)]);
}

template void take_sparseness(const JobResult<float>&, Side, RankSummary&);
template void take_sparseness(const JobResult<double>&, Side, RankSummary&);
template void take_spread_of_starts(const RankSpectra&, const SurveyOptions&, ThreadPool&,
                                    RankConsensus<float>&);
template void take_spread_of_starts(const RankSpectra&, const SurveyOptions&, ThreadPool&,
                                    RankConsensus<double>&);

}  // namespace anmf
