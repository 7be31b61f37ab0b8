// SPDX-License-Identifier: MIT
// When a survey will be done: the flops of the jobs that are left by the rate of those that were made. A job
// has as many iterations as the mean of its kind and rank, or of the nearest rank that is known.
#pragma once

#include <map>
#include <vector>

#include "anmf/survey.h"

namespace anmf {

class JobForecast {
 public:
  /// Of a matrix with so many rows, columns and stored entries.
  JobForecast(Index rows, Index cols, Index nonzeros, SurveyOptions options);

  /// A job is left to be made.
  void add(const JobKey& key);
  /// A job that was there already.
  void found(const JobRecord& record);
  /// One of those that were left has been made.
  void made(const JobRecord& record);
  /// One of those that were left has turned out to be there.
  void remove(const JobKey& key);

  /// NaN until a job was made that did not fail.
  [[nodiscard]] double seconds_left(double seconds_so_far) const;

 private:
  struct Group {       // the jobs of a kind and rank
    double flops = 0;  // of an iteration
    Index left = 0;
    double iterations = 0;
    Index known = 0;  // jobs with these iterations
  };
  using Kind = std::map<Index, Group>;  // by rank

  Group& group(const JobKey& key);
  [[nodiscard]] double iterations_at(JobKind kind, Index rank) const;

  Index rows_;
  Index cols_;
  Index nonzeros_;
  SurveyOptions options_;
  std::map<JobKind, Kind> kinds_;
  double flops_made_ = 0;
};

}  // namespace anmf
