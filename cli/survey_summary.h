// SPDX-License-Identifier: MIT
// What a person is told at the end of a survey.
#pragma once

#include <filesystem>
#include <string>

#include "survey_options.h"

namespace anmf::cli {

/// "faces.npy" -> "faces: 2 to 15 components".
[[nodiscard]] std::string survey_title(const SurveyArguments& arguments);

/// A few lines on stdout: how much was made, a line for every rank, the suggestion with its reasons, and how
/// to go on. `made` counts the jobs that this process made.
void print_survey(const SurveyArguments& arguments, const SurveyTable& table, Index made);

/// "12 jobs failed; the first one ...": nothing if none did.
[[nodiscard]] std::string about_failed_jobs(const SurveyTable& table);

}  // namespace anmf::cli
