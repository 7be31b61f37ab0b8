// SPDX-License-Identifier: MIT
// The standard error of r repeats is sqrt(sum (e - mean)^2 / (r - 1) / r).
#include "survey/rank_records.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace anmf {
namespace {

struct MeanError {
  double mean = RankSummary::kNone;
  double standard_error = RankSummary::kNone;
};

MeanError mean_error(std::vector<double> errors) {
  std::erase_if(errors, [](double error) { return !std::isfinite(error); });
  if (errors.empty()) return {};
  const auto count = static_cast<double>(errors.size());
  MeanError result{.mean = std::accumulate(errors.begin(), errors.end(), 0.0) / count};
  if (errors.size() < 2) return result;
  double squares = 0;
  for (const double error : errors) squares += (error - result.mean) * (error - result.mean);
  result.standard_error = std::sqrt(squares / (count - 1) / count);
  return result;
}

bool is_done(const JobRecord& job) {
  return job.key.kind == JobKind::start && job.status != JobStatus::failed;
}

void take_errors_of_starts(const RankRecords& records, RankSummary& summary) {
  std::vector<double> errors;
  for (const JobRecord& job : records.jobs) {
    if (!is_done(job) || std::isnan(job.error)) continue;
    if (errors.empty() || job.error < *std::ranges::min_element(errors))
      summary.explained = 1 - job.relative_error * job.relative_error;
    errors.push_back(job.error);
  }
  if (errors.empty()) return;
  std::ranges::sort(errors);
  const std::size_t middle = errors.size() / 2;
  summary.error_best = errors.front();
  summary.error_worst = errors.back();
  summary.error_median = errors.size() % 2 == 1 ? errors[middle] : (errors[middle - 1] + errors[middle]) / 2;
}

}  // namespace

template <class T>
RankRecords rank_records(const SurveyOptions& options, SurveyStore<T>& store, Index rank,
                         const std::vector<Index>& done) {
  RankRecords records;
  const auto add = [&](JobKind kind, Index number) {
    if (std::optional<JobRecord> job = store.find({.rank = rank, .kind = kind, .number = number})) {
      records.jobs.push_back(std::move(*job));
      return true;
    }
    return false;
  };
  records.starts_asked = options.starts;
  for (Index number = 0; number < options.starts; ++number) {
    if (!add(JobKind::start, number)) ++records.missing;
  }
  for (const Index number : done) {
    if (number < options.starts) continue;
    (void)add(JobKind::start, number);
    records.starts_asked = std::max(records.starts_asked, number + 1);
  }
  if (options.heldout == Holdout::none) return records;
  const JobKind kind = options.heldout == Holdout::bcv ? JobKind::bcv : JobKind::heldout;
  for (Index repeat = 0; repeat < options.heldout_repeats; ++repeat) {
    if (!add(kind, repeat)) ++records.missing;
  }
  return records;
}

RankSummary summary_of(Index rank, const RankRecords& records) {
  RankSummary summary;
  summary.rank = rank;
  for (const JobRecord& job : records.jobs) {
    summary.seconds += job.seconds;
    if (job.status == JobStatus::failed) ++summary.failed;
    if (!is_done(job)) continue;
    ++summary.starts;
    if (job.status == JobStatus::converged) ++summary.converged;
  }
  take_errors_of_starts(records, summary);
  const MeanError heldout = mean_error(errors_of_repeats(records, JobKind::heldout));
  summary.heldout = heldout.mean;
  summary.heldout_se = heldout.standard_error;
  summary.bcv = mean_error(errors_of_repeats(records, JobKind::bcv)).mean;
  return summary;
}

std::vector<double> errors_of_repeats(const RankRecords& records, JobKind kind) {
  std::vector<double> errors;
  for (const JobRecord& job : records.jobs) {
    if (job.key.kind != kind) continue;
    errors.resize(std::max(errors.size(), static_cast<std::size_t>(job.key.number) + 1), RankSummary::kNone);
    if (job.status != JobStatus::failed)
      errors[static_cast<std::size_t>(job.key.number)] = job.relative_error;
  }
  return errors;
}

std::vector<double> errors_of_starts(const RankRecords& records, const std::vector<Index>& starts) {
  std::vector<double> errors(starts.size(), RankSummary::kNone);
  for (const JobRecord& job : records.jobs) {
    if (!is_done(job)) continue;
    const auto place = std::ranges::lower_bound(starts, job.key.number);
    if (place == starts.end() || *place != job.key.number) continue;
    errors[static_cast<std::size_t>(place - starts.begin())] = job.relative_error;
  }
  return errors;
}

template RankRecords rank_records(const SurveyOptions&, SurveyStore<float>&, Index,
                                  const std::vector<Index>&);
template RankRecords rank_records(const SurveyOptions&, SurveyStore<double>&, Index,
                                  const std::vector<Index>&);

}  // namespace anmf
