// SPDX-License-Identifier: MIT
// What a run leaves behind: W.npy (m x r), H.npy (r x n), trace.csv (one row per outer iteration, row 0 is
// the start) and run.json (options in force and outcome).
#pragma once

#include <array>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "anmf/result.h"
#include "output_folder.h"
#include "report_labels.h"
#include "report_page.h"
#include "run_description.h"

namespace anmf::cli {

inline constexpr std::array<std::string_view, 4> kRunFiles = {"W.npy", "H.npy", "trace.csv", "run.json"};

using report::describe_run;
using report::has_report_page;
using report::InputSummary;
using report::kPrecision;
using report::kReportFile;
using report::summarize;

/// The file of this name in the folder of a run, or the file that `given` names itself. Throws Failure(input)
/// if it is not as the run.json beside it says, or if a folder has none: its files may be of different runs.
[[nodiscard]] std::filesystem::path file_of_run(const std::filesystem::path& given, std::string_view name);

/// The run.json of the factorization whose folder this is, or whose file; null if there is none that speaks
/// of it.
[[nodiscard]] nlohmann::ordered_json description_of_run(const std::filesystem::path& given);

/// Stages W.npy, H.npy and trace.csv; the caller publishes them with the description of describe_run().
template <class T>
void stage_run(OutputFolder& folder, const Result<T>& result);

/// Stages report.html, if there is room; the caller publishes it. `fit` is what describe_fit() gives, or
/// null.
template <class T>
bool stage_report(OutputFolder& folder, const std::string& title, const nlohmann::ordered_json& run,
                  const Result<T>& result, const ReportLabels& labels, const nlohmann::ordered_json& fit);

}  // namespace anmf::cli
