// SPDX-License-Identifier: MIT
// From the spectra of all starts of a rank to the components that they agree on. Spectra of the result have
// the sum 1, so that the usages of a sample are its entries, divided among the components.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <numeric>
#include <utility>

#include "anmf/error.h"
#include "consensus/cluster_sums.h"
#include "survey/rank_measures.h"
#include "survey/rank_records.h"
#include "survey/survey_limits.h"
#include "survey/usages.h"

namespace anmf {
namespace {

constexpr double kFreeThreshold = 0.5;

double threshold_of(const ClusterOptions& clusters) {
  return clusters.density_threshold.value_or(clusters.kind == ClusterKind::free ? kFreeThreshold
                                                                                : kLeavesOutNone);
}

/// Which spectra take part. Those of zeros have no density.
struct Kept {
  std::unique_ptr<bool[]> flags;  // NOLINT(modernize-avoid-c-arrays): std::vector<bool> has no span
  std::size_t size = 0;
  Index count = 0;
  [[nodiscard]] std::span<const bool> view() const { return {flags.get(), size}; }
};

Kept dense_spectra(const std::vector<double>& density, double threshold) {
  Kept kept{.flags = std::make_unique<bool[]>(density.size()), .size = density.size()};  // NOLINT
  for (std::size_t i = 0; i < density.size(); ++i) {
    // All distances are at most 2, so that 2 leaves out nothing but spectra of zeros.
    kept.flags[i] = threshold >= kLeavesOutNone ? !std::isnan(density[i]) : density[i] < threshold;
    kept.count += kept.flags[i] ? 1 : 0;
  }
  return kept;
}

/// Spectra that are left out are clustered with the others, and belong to no cluster.
Clusters dense_matched_clusters(ConstMatrixView<double> unit, Index k, Index first_start, const Kept& kept,
                                ThreadPool& pool) {
  Clusters clusters = matched_clusters(unit, k, first_start, pool);
  bool changed = false;
  for (std::size_t i = 0; i < clusters.labels.size(); ++i) {
    if (kept.flags[i] || clusters.labels[i] == kNoCluster) continue;
    clusters.labels[i] = kNoCluster;
    changed = true;
  }
  if (changed) clusters.centres = unit_rows(cluster_sums(unit, clusters.labels, k, pool).view());
  return clusters;
}

template <class T>
Matrix<T> with_sum_one(const Matrix<double>& centres) {
  Matrix<T> spectra(centres.rows(), centres.cols());
  for (Index p = 0; p < centres.rows(); ++p) {
    const double* const centre = centres.view().row(p);
    const double sum = std::accumulate(centre, centre + centres.cols(), 0.0);
    for (Index j = 0; j < centres.cols(); ++j) spectra(p, j) = static_cast<T>(sum > 0 ? centre[j] / sum : 0);
  }
  return spectra;
}

/// Rows of X in this order.
template <class T>
Matrix<T> rows_in_order(const Matrix<T>& X, const std::vector<Index>& order) {
  Matrix<T> sorted(X.rows(), X.cols());
  for (std::size_t p = 0; p < order.size(); ++p)
    std::copy_n(X.view().row(order[p]), X.cols(), sorted.view().row(static_cast<Index>(p)));
  return sorted;
}

template <class T>
void put_columns_in_order(Matrix<T>& X, const std::vector<Index>& order) {
  std::vector<T> row(order.size());
  for (Index i = 0; i < X.rows(); ++i) {
    T* const x = X.view().row(i);
    std::copy_n(x, X.cols(), row.begin());
    for (std::size_t p = 0; p < order.size(); ++p) x[p] = row[static_cast<std::size_t>(order[p])];
  }
}

/// Fits usages, and numbers the clusters by them.
template <class T>
void number_components(const Data<T>& data, const SurveyOptions& options, RankConsensus<T>& found) {
  found.spectra = with_sum_one<T>(found.clusters.centres);
  FittedUsages<T> fitted = fit_usages(data, options, found.spectra);
  found.summary.consensus_error = fitted.error;
  const std::vector<double> shares = mean_shares(fitted.usages);
  std::vector<Index> order(shares.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::stable_sort(order, std::greater<>(),
                           [&](Index p) { return shares[static_cast<std::size_t>(p)]; });
  std::vector<Index> place(order.size());
  for (std::size_t p = 0; p < order.size(); ++p)
    place[static_cast<std::size_t>(order[p])] = static_cast<Index>(p);
  found.spectra = rows_in_order(found.spectra, order);
  found.clusters.centres = rows_in_order(found.clusters.centres, order);
  put_columns_in_order(fitted.usages, order);
  found.usages = std::move(fitted.usages);
  for (Index& label : found.clusters.labels) {
    if (label != kNoCluster) label = place[static_cast<std::size_t>(label)];
  }
  for (std::size_t p = 0; p < order.size(); ++p) {
    found.components.push_back({.rank = found.summary.rank,
                                .component = static_cast<Index>(p) + 1,
                                .usage = shares[static_cast<std::size_t>(order[p])]});
  }
}

/// Members of the clusters, and how far they are from the centres.
template <class T>
void measure_components(ConstMatrixView<double> unit, RankConsensus<T>& found) {
  const Matrix<double> centres = unit_rows(found.clusters.centres.view());
  for (ComponentSummary& component : found.components) component.spread = 0;
  for (Index i = 0; i < unit.rows; ++i) {
    const Index label = found.clusters.labels[static_cast<std::size_t>(i)];
    if (label == kNoCluster) continue;
    ComponentSummary& component = found.components[static_cast<std::size_t>(label)];
    ++component.members;
    const double* const x = unit.row(i);
    component.spread += 1 - std::inner_product(x, x + unit.cols, centres.view().row(label), 0.0);
  }
  for (ComponentSummary& component : found.components) {
    component.spread = component.members == 0
                           ? RankSummary::kNone
                           : std::max(0.0, component.spread / static_cast<double>(component.members));
    component.silhouette = found.euclidean.of_clusters[static_cast<std::size_t>(component.component - 1)];
  }
}

void take_silhouettes(const Silhouettes& euclidean, const Silhouettes& cosine, RankSummary& summary) {
  summary.silhouette = euclidean.mean;
  summary.silhouette_cosine = cosine.mean;
  const bool known =
      std::ranges::none_of(euclidean.of_clusters, [](double mean) { return std::isnan(mean); });
  if (known && !euclidean.of_clusters.empty())
    summary.silhouette_min = *std::ranges::min_element(euclidean.of_clusters);
}

Index place_of_start(const std::vector<Index>& starts, Index number) {
  const auto place = std::ranges::find(starts, number);
  return place == starts.end() ? 0 : place - starts.begin();
}

void note_what_was_left_out(const Kept& kept, const std::vector<double>& density, double threshold,
                            std::vector<std::string>& notes) {
  const auto zeros = std::ranges::count_if(density, [](double value) { return std::isnan(value); });
  const Index outliers = std::ssize(density) - zeros - kept.count;
  if (zeros > 0)
    notes.push_back(fmt::format("{} of {} spectra are zero and were left out.", zeros, density.size()));
  if (outliers > 0) {
    notes.push_back(fmt::format("{} of {} spectra were left out, whose local density is {} or more.",
                                outliers, density.size(), threshold));
  }
}

}  // namespace

template <class T>
RankConsensus<T> consensus(const Data<T>& data, const SurveyOptions& options, SurveyStore<T>& store,
                           Index rank) {
  RankSpectra all = store.spectra(rank);
  if (all.starts.empty()) throw InvalidInput(fmt::format("No start of rank {} has been done.", rank));
  const RankRecords records = rank_records(options, store, rank, all.starts);
  const Index features = options.spectra == Side::H ? data.cols() : data.rows();
  if (all.spectra.cols() != features) {
    throw InvalidInput(
        fmt::format("The spectra of rank {} have {} features, and M has {}; they are those of "
                    "another matrix.",
                    rank, all.spectra.cols(), features));
  }
  ThreadPool pool(options.job.threads);
  RankConsensus<T> found;
  found.summary = summary_of(rank, records);
  found.start_errors = errors_of_starts(records, all.starts);
  found.heldout_errors = errors_of_repeats(records, JobKind::heldout);
  Index first = 0;  // the place of the best start
  {                 // so that the rest finds the room of its factors
    const JobResult<T> best = store.best(rank);
    take_sparseness(best, options.spectra, found.summary);
    first = place_of_start(all.starts, best.record.key.number);
  }
  take_spread_of_starts(all, options, pool, found);

  found.density_threshold = threshold_of(options.clusters);
  const Matrix<double> unit = unit_rows(all.spectra.view());
  all.spectra = {};
  found.density =
      local_density(unit.view(), density_neighbours(options.clusters.neighbourhood, unit.rows(), rank), pool);
  const Kept kept = dense_spectra(found.density, found.density_threshold);
  const bool all_take_part =
      options.clusters.kind == ClusterKind::matched && found.density_threshold >= kLeavesOutNone;
  if (kept.count < rank && !all_take_part) {
    throw InvalidInput(fmt::format(
        "{} of {} spectra of rank {} have a local density below {}, too few for {} clusters; choose "
        "a larger density threshold (2 leaves out none), or make more starts.",
        kept.count, unit.rows(), rank, found.density_threshold, rank));
  }
  found.summary.outliers = unit.rows() - kept.count;
  note_what_was_left_out(kept, found.density, found.density_threshold, found.notes);
  found.clusters = options.clusters.kind == ClusterKind::free
                       ? free_clusters(unit.view(), rank, kept.view(), options.seed, pool)
                       : dense_matched_clusters(unit.view(), rank, first, kept, pool);
  number_components(data, options, found);
  constexpr std::array kDistances = {Distance::euclidean, Distance::cosine};
  std::vector<Silhouettes> measured = silhouettes(unit.view(), found.clusters.labels, rank, kDistances, pool);
  found.euclidean = std::move(measured[0]);
  if (all.starts.size() > 1) take_silhouettes(found.euclidean, measured[1], found.summary);
  measure_components(unit.view(), found);
  found.starts = std::move(all.starts);
  return found;
}

template RankConsensus<float> consensus(const Data<float>&, const SurveyOptions&, SurveyStore<float>&, Index);
template RankConsensus<double> consensus(const Data<double>&, const SurveyOptions&, SurveyStore<double>&,
                                         Index);

}  // namespace anmf
