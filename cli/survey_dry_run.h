// SPDX-License-Identifier: MIT
// anmf survey --dry-run: the memory and the time of a survey, before it is made.
#pragma once

#include "survey_input.h"
#include "survey_options.h"

namespace anmf::cli {

/// Makes one start for two seconds at most, and prints what all jobs would take at its pace.
template <class T>
void print_survey_needs(const SurveyArguments& arguments, const SurveyMatrix<T>& matrix);

}  // namespace anmf::cli
