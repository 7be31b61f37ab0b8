// SPDX-License-Identifier: MIT
// What the records of a rank say, without a look at its factors.
#pragma once

#include <vector>

#include "anmf/survey.h"

namespace anmf {

struct RankRecords {
  std::vector<JobRecord> jobs;  ///< by kind and number
  Index starts_asked = 0;       ///< by the survey now, or before
  Index missing = 0;            ///< jobs that the survey asks for and that nobody has made
};

/// `done` are the starts that the store has, which may be more than the survey asks for.
template <class T>
[[nodiscard]] RankRecords rank_records(const SurveyOptions& options, SurveyStore<T>& store, Index rank,
                                       const std::vector<Index>& done);

/// The part of a row of survey.csv that comes from records.
[[nodiscard]] RankSummary summary_of(Index rank, const RankRecords& records);

/// The relative errors of repeats 0, 1, ..., NaN where there is none.
[[nodiscard]] std::vector<double> errors_of_repeats(const RankRecords& records, JobKind kind);

/// The relative error of every one of these starts.
[[nodiscard]] std::vector<double> errors_of_starts(const RankRecords& records,
                                                   const std::vector<Index>& starts);

}  // namespace anmf
