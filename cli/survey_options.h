// SPDX-License-Identifier: MIT
// The options of anmf survey, and survey.toml, in which a survey keeps them for whoever goes on with it.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "anmf/survey.h"
#include "input.h"
#include "precision.h"
#include "settings.h"

namespace CLI {
class App;
}

namespace anmf::cli {

/// --part 3/16: the jobs of one of several processes.
struct SurveyPart {
  Index number = 1;
  Index count = 1;
};

/// As typed.
struct SurveyArguments {
  InputArguments input;
  std::string out;
  SurveyOptions options;
  Precision precision = Precision::float64;
  std::optional<double> memory;  ///< bytes
  ReportArguments report;
  std::optional<std::string> resume;  ///< a folder
  bool input_typed = false;           ///< with --resume: not taken from the folder
  std::optional<SurveyPart> part;
  bool keep_usages = false;
  bool mix_versions = false;
  bool dry_run = false;
  bool quiet = false;
  bool json = false;
  std::string settings;  ///< as TOML, without the ranks
};

/// Adds all of them. `arguments` must outlive the parsing.
void add_survey_options(CLI::App& app, SurveyArguments& arguments);

/// Adds --clusters, --density-threshold and --neighbourhood.
void add_cluster_options(CLI::App& app, ClusterOptions& clusters);

/// Throws Failure(usage) for options that do not go together, before anything is read.
void check_survey_options(const SurveyArguments& arguments);

/// Of the options that were given: what survey.toml keeps of them.
[[nodiscard]] std::string survey_settings(const CLI::App& app);

/// The survey.toml of a folder. Throws Failure(input) if there is none.
[[nodiscard]] std::vector<Setting> read_survey_settings(const std::filesystem::path& folder);

/// Adds the ranks that the survey in the folder has, if there is one.
void join_ranks(const std::filesystem::path& folder, std::vector<Index>& ranks);

/// Writes survey.toml, or leaves it as it is if it says so already.
void write_survey_settings(const std::filesystem::path& folder, const std::string& settings,
                           std::span<const Index> ranks);

}  // namespace anmf::cli
