// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "anmf/error.h"
#include "survey/rank_records.h"
#include "survey/survey_limits.h"

namespace anmf {
namespace {

/// What is left of a rank without starts.
template <class T>
RankConsensus<T> nothing_found(const SurveyOptions& options, SurveyStore<T>& store, Index rank) {
  const RankRecords records = rank_records(options, store, rank, {});
  RankConsensus<T> found;
  found.summary = summary_of(rank, records);
  found.heldout_errors = errors_of_repeats(records, JobKind::heldout);
  found.notes.emplace_back(found.summary.failed > 0 ? "No start has ended well; see the messages of the jobs."
                                                    : "No start has been made yet.");
  return found;
}

SurveyOptions without_filter(const SurveyOptions& options) {
  SurveyOptions all = options;
  all.clusters.density_threshold = kLeavesOutNone;
  return all;
}

/// Where spectra were left out, ranks are compared by all of them: who leaves out what disagrees finds any
/// rank stable.
template <class T>
void measure_all_spectra(const Data<T>& data, const SurveyOptions& options, SurveyStore<T>& store,
                         RankSummary& summary) {
  const RankSummary all = consensus(data, without_filter(options), store, summary.rank).summary;
  if (all.outliers == summary.outliers) return;
  summary.silhouette = all.silhouette;
  summary.silhouette_min = all.silhouette_min;
  summary.silhouette_cosine = all.silhouette_cosine;
  summary.consensus_error = all.consensus_error;
}

/// With all spectra where too few are dense, and matched where too few are there at all.
template <class T>
RankConsensus<T> consensus_of_some(const Data<T>& data, const SurveyOptions& options, SurveyStore<T>& store,
                                   Index rank) {
  const bool some = summary_of(rank, rank_records(options, store, rank, {})).starts > 0;
  if (!some && store.spectra(rank).starts.empty()) return nothing_found(options, store, rank);
  SurveyOptions matched = without_filter(options);
  matched.clusters.kind = ClusterKind::matched;
  std::vector<std::string> notes;
  for (const SurveyOptions& one : {options, without_filter(options)}) {
    try {
      RankConsensus<T> found = consensus(data, one, store, rank);
      if (found.summary.outliers > 0) measure_all_spectra(data, options, store, found.summary);
      found.notes.insert(found.notes.end(), notes.begin(), notes.end());
      return found;
    } catch (const InvalidInput& error) {
      notes = {fmt::format("The clusters are not those that were asked for. {}", error.what())};
    }
  }
  RankConsensus<T> found = consensus(data, matched, store, rank);
  found.notes.insert(found.notes.end(), notes.begin(), notes.end());
  return found;
}

RankEvidence evidence_of(const RankSummary& summary, const RankRecords& records) {
  return {.rank = summary.rank,
          .starts = records.starts_asked,
          .done = summary.starts,
          .converged = summary.converged,
          .silhouette_min = summary.silhouette_min,
          .heldout = errors_of_repeats(records, JobKind::heldout)};
}

}  // namespace

template <class T>
SurveyTable summarize(const Data<T>& data, const SurveyOptions& options, SurveyStore<T>& store,
                      SurveyObserver<T>* observer) {
  check_survey(data, options);
  SurveyTable table;
  std::vector<RankEvidence> evidence;
  Matrix<T> smaller;
  Index missing = 0;
  for (const Index rank : options.ranks) {
    if (observer != nullptr) observer->on_rank(rank);
    RankConsensus<T> found = consensus_of_some(data, options, store, rank);
    RankRecords records = rank_records(options, store, rank, found.starts);
    missing += records.missing;
    find_parents<T>(found.components, found.spectra.view(), smaller.view());
    smaller = found.spectra;
    table.ranks.push_back(found.summary);
    table.components.insert(table.components.end(), found.components.begin(), found.components.end());
    for (const std::string& note : found.notes) table.notes.push_back(fmt::format("Rank {}: {}", rank, note));
    evidence.push_back(evidence_of(found.summary, records));
    std::ranges::move(records.jobs, std::back_inserter(table.jobs));
    store.keep(std::move(found));
  }
  table.suggestion = suggest_rank(evidence);
  for (RankSummary& summary : table.ranks) summary.suggested = summary.rank == table.suggestion.rank;
  table.stopped = missing > 0;
  return table;
}

template <class T>
SurveyTable survey(const Data<T>& data, const SurveyOptions& options, SurveyStore<T>& store,
                   SurveyObserver<T>* observer) {
  make_jobs(data, options, store, observer);
  return summarize(data, options, store, observer);
}

template SurveyTable summarize(const Data<float>&, const SurveyOptions&, SurveyStore<float>&,
                               SurveyObserver<float>*);
template SurveyTable summarize(const Data<double>&, const SurveyOptions&, SurveyStore<double>&,
                               SurveyObserver<double>*);
template SurveyTable survey(const Data<float>&, const SurveyOptions&, SurveyStore<float>&,
                            SurveyObserver<float>*);
template SurveyTable survey(const Data<double>&, const SurveyOptions&, SurveyStore<double>&,
                            SurveyObserver<double>*);

}  // namespace anmf
