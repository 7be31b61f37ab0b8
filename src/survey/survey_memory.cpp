// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <utility>

#include "anmf/survey.h"

namespace anmf {
namespace {

template <class T>
bool may_be_best(const JobResult<T>& job) {
  return job.record.key.kind == JobKind::start && job.record.status != JobStatus::failed &&
         !std::isnan(job.record.error) && job.usages.size() > 0;
}

}  // namespace

template <class T>
std::optional<JobRecord> SurveyMemory<T>::find(const JobKey& key) {
  const auto job = jobs_.find(key);
  return job == jobs_.end() ? std::nullopt : std::optional(job->second.record);
}

template <class T>
void SurveyMemory<T>::keep(JobResult<T>&& result) {
  const JobKey key = result.record.key;
  JobResult<T>& job = jobs_[key] = std::move(result);
  const auto best = best_.find(key.rank);
  const bool was_best = best != best_.end() && key.kind == JobKind::start && best->second == key.number;
  if (was_best) best_.erase(best);
  if (!may_be_best(job)) {
    job.usages = {};
    return;
  }
  const auto [leader, first] = best_.try_emplace(key.rank, key.number);
  if (first) return;
  JobResult<T>& leading = jobs_.at({.rank = key.rank, .kind = JobKind::start, .number = leader->second});
  const auto order = [](const JobResult<T>& one) {
    return std::pair(one.record.error, one.record.key.number);
  };
  if (order(job) < order(leading)) {
    leading.usages = {};
    leader->second = key.number;
  } else {
    job.usages = {};
  }
}

template <class T>
RankSpectra SurveyMemory<T>::spectra(Index rank) {
  std::vector<const JobResult<T>*> starts;
  for (auto job = jobs_.lower_bound({.rank = rank, .kind = JobKind::start, .number = 0});
       job != jobs_.end() && job->first.rank == rank && job->first.kind == JobKind::start; ++job) {
    if (job->second.record.status != JobStatus::failed) starts.push_back(&job->second);
  }
  RankSpectra all;
  if (starts.empty()) return all;
  const auto count = static_cast<Index>(starts.size());
  all.spectra = Matrix<double>(count * rank, starts.front()->spectra.cols());
  all.labels = SampleLabels(count, static_cast<Index>(starts.front()->labels.size()));
  double* spectra = all.spectra.data();
  std::uint16_t* labels = all.labels.data();
  for (const JobResult<T>* start : starts) {
    all.starts.push_back(start->record.key.number);
    spectra = std::copy_n(start->spectra.data(), start->spectra.size(), spectra);
    labels = std::ranges::copy(start->labels, labels).out;
  }
  return all;
}

template <class T>
JobResult<T> SurveyMemory<T>::best(Index rank) {
  const auto best = best_.find(rank);
  if (best != best_.end()) return jobs_.at({.rank = rank, .kind = JobKind::start, .number = best->second});
  JobResult<T> none;
  none.record.key.rank = rank;
  return none;
}

template <class T>
void SurveyMemory<T>::keep(RankConsensus<T>&& consensus) {
  const Index rank = consensus.summary.rank;
  consensus_.insert_or_assign(rank, std::move(consensus));
}

template <class T>
const RankConsensus<T>* SurveyMemory<T>::found(Index rank) const {
  const auto consensus = consensus_.find(rank);
  return consensus == consensus_.end() ? nullptr : &consensus->second;
}

template class SurveyMemory<float>;
template class SurveyMemory<double>;

}  // namespace anmf
