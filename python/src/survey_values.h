// SPDX-License-Identifier: MIT
// What a survey found as Python takes it: tables as dicts of columns, factors as arrays. The GIL is held.
#pragma once

#include "anmf/survey.h"
#include "arrays.h"

namespace anmf::python {

/// "ranks", "components" and "jobs" as dicts of columns, "suggestion", "notes" and "stopped".
[[nodiscard]] nb::dict describe_table(const SurveyTable& table);

/// A column for each member of a record; what is not there is -1.
[[nodiscard]] nb::dict describe_jobs(const std::vector<JobRecord>& jobs);

template <class T>
[[nodiscard]] nb::dict describe_consensus(const RankConsensus<T>& consensus);

/// Its record, spectra and usages.
template <class T>
[[nodiscard]] nb::dict describe_start(JobResult<T>&& start);

}  // namespace anmf::python
