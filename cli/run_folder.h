// SPDX-License-Identifier: MIT
// What a run leaves behind: W.npy (m x r), H.npy (r x n), trace.csv (one row per outer iteration, row 0 is
// the start) and run.json (options in force and outcome).
#pragma once

#include <array>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "anmf/result.h"
#include "output_folder.h"
#include "report_labels.h"
#include "report_page.h"
#include "run_description.h"

namespace anmf::cli {

/// In the order in which they are put in place: run.json last, so that it never describes older factors.
inline constexpr std::array<std::string_view, 4> kRunFiles = {"W.npy", "H.npy", "trace.csv", "run.json"};

using report::describe_run;
using report::has_report_page;
using report::InputSummary;
using report::kPrecision;
using report::kReportFile;
using report::summarize;

/// As it stands in a file: indented, with a line end.
[[nodiscard]] std::string json_text(const nlohmann::ordered_json& json);

/// Stages one JSON file; the caller publishes it.
void stage_json(OutputFolder& folder, std::string_view name, const nlohmann::ordered_json& json);

/// Stages the files of kRunFiles; the caller publishes them. `run` is what describe_run() gave.
template <class T>
void stage_run(OutputFolder& folder, const nlohmann::ordered_json& run, const Result<T>& result);

/// Stages report.html; the caller publishes it.
template <class T>
void stage_report(OutputFolder& folder, const std::string& title, const nlohmann::ordered_json& run,
                  const Result<T>& result, const ReportLabels& labels);

}  // namespace anmf::cli
