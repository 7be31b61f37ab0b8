// SPDX-License-Identifier: MIT
// What a survey leaves of every rank for people and other programs: kNN/ with what the starts agree on, and
// kNN/best/ with the best start, each with W.npy, H.npy and run.json, and with names as a run has them, so
// that anmf transform takes them.
#pragma once

#include <filesystem>
#include <string>

#include "input.h"
#include "survey_folder.h"
#include "survey_options.h"

namespace anmf::cli {

/// What writes them. All of these must outlive it.
template <class T>
[[nodiscard]] typename report::SurveyFolder<T>::WriteFactors write_factors_of(
    const SurveyArguments& arguments, const Input<T>& input, const std::string& source);

}  // namespace anmf::cli
