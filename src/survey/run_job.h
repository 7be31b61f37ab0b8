// SPDX-License-Identifier: MIT
// One job of a survey, from its key to what the store keeps.
#pragma once

#include <string>

#include "anmf/survey.h"

namespace anmf {

/// Makes the job with the threads of the pool, and throws what factorize() does. `seconds` are left to the
/// caller.
template <class T>
[[nodiscard]] JobResult<T> run_job(const Data<T>& data, const SurveyOptions& options, const JobKey& key,
                                   ThreadPool& pool);

/// The record of a job that threw.
[[nodiscard]] JobRecord failed_job(const SurveyOptions& options, const JobKey& key, std::string message);

}  // namespace anmf
