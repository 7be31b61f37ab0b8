// SPDX-License-Identifier: MIT
#include "survey/job_forecast.h"

#include <cstdlib>
#include <limits>
#include <utility>

#include "anmf/estimate.h"

namespace anmf {

JobForecast::JobForecast(Index rows, Index cols, Index nonzeros, SurveyOptions options)
    : rows_(rows), cols_(cols), nonzeros_(nonzeros), options_(std::move(options)) {}

JobForecast::Group& JobForecast::group(const JobKey& key) {
  const auto [place, first] = kinds_[key.kind].try_emplace(key.rank);
  if (first) place->second.flops = job_flops(rows_, cols_, nonzeros_, options_, key).least;
  return place->second;
}

void JobForecast::add(const JobKey& key) { ++group(key).left; }

void JobForecast::remove(const JobKey& key) { --group(key).left; }

void JobForecast::found(const JobRecord& record) {
  if (record.status == JobStatus::failed) return;
  Group& jobs = group(record.key);
  jobs.iterations += static_cast<double>(record.iterations);
  ++jobs.known;
}

void JobForecast::made(const JobRecord& record) {
  remove(record.key);
  found(record);
  flops_made_ += group(record.key).flops * static_cast<double>(record.iterations);
}

double JobForecast::iterations_at(JobKind kind, Index rank) const {
  const auto nearest = [rank](const Kind& groups) {
    const Group* found = nullptr;
    Index distance = 0;
    for (const auto& [other, jobs] : groups) {
      if (jobs.known == 0 || (found != nullptr && std::abs(other - rank) >= distance)) continue;
      found = &jobs;
      distance = std::abs(other - rank);
    }
    return found;
  };
  const Group* known = nullptr;
  if (const auto own = kinds_.find(kind); own != kinds_.end()) known = nearest(own->second);
  for (auto other = kinds_.begin(); known == nullptr && other != kinds_.end(); ++other)
    known = nearest(other->second);
  if (known == nullptr) return std::numeric_limits<double>::quiet_NaN();
  return known->iterations / static_cast<double>(known->known);
}

double JobForecast::seconds_left(double seconds_so_far) const {
  double flops_left = 0;
  for (const auto& [kind, groups] : kinds_) {
    for (const auto& [rank, jobs] : groups) {
      if (jobs.left > 0)
        flops_left += static_cast<double>(jobs.left) * jobs.flops * iterations_at(kind, rank);
    }
  }
  if (flops_left == 0) return 0;
  if (flops_made_ == 0) return std::numeric_limits<double>::quiet_NaN();
  return flops_left * seconds_so_far / flops_made_;
}

}  // namespace anmf
