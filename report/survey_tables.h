// SPDX-License-Identifier: MIT
// What a survey leaves in its folder for people and programs to read: survey.json, survey.csv, jobs.csv and
// components.csv.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "anmf/parallel.h"
#include "anmf/survey.h"

namespace anmf::report {

inline constexpr std::string_view kSurveyFile = "survey.json";

/// The object `input` of survey.json.
struct SurveyInput {
  std::string name;
  Index rows = 0;
  Index cols = 0;
  Index nonzeros = 0;
  double norm = 0;
  std::string checksum;  ///< of the entries (anmf/fingerprint.h), prepared and weighted as they are
};

/// Reads all entries once. Throws InvalidInput for a matrix that shows none.
template <class T>
[[nodiscard]] SurveyInput survey_input(std::string name, const Data<T>& data, ThreadPool& pool);

/// All that decides the bits of a job, beside the matrix: "version", "precision", "seed", "features", the
/// options of a job, ... Ranks, starts, thresholds and threads are not in it.
[[nodiscard]] nlohmann::ordered_json survey_key(const SurveyOptions& options, std::string_view precision);

/// Throws InvalidInput, with the first difference, unless a survey of this matrix with this key may go on in
/// a folder whose survey.json this is.
void expect_same_survey(const std::filesystem::path& folder, const nlohmann::ordered_json& description,
                        const SurveyInput& input, const nlohmann::ordered_json& key, bool mix_versions);

/// The survey.json of a folder. Throws InvalidInput if there is none, or if it is no survey's.
[[nodiscard]] nlohmann::ordered_json read_survey_description(const std::filesystem::path& folder);

/// The content of survey.json; before there is a table, of an empty one.
[[nodiscard]] nlohmann::ordered_json describe_survey(const SurveyInput& input,
                                                     const nlohmann::ordered_json& key,
                                                     const SurveyTable& table, double seconds);

/// Writes survey.csv, jobs.csv, components.csv and, last, survey.json.
void write_survey_tables(const std::filesystem::path& folder, const nlohmann::ordered_json& description,
                         const SurveyTable& table);

struct SavedSurvey {
  nlohmann::ordered_json description;  ///< survey.json
  SurveyTable table;
};

/// What write_survey_tables() wrote. Throws InvalidInput with what is missing or damaged.
[[nodiscard]] SavedSurvey read_survey(const std::filesystem::path& folder);

}  // namespace anmf::report
