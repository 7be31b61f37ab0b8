// SPDX-License-Identifier: MIT
// The data of the report page for one factorization.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "anmf/result.h"
#include "output_folder.h"
#include "report_labels.h"

namespace anmf::cli {

/// `run` is the content of run.json. The keys are described in docs/report.md.
template <class T>
[[nodiscard]] nlohmann::ordered_json factorization_report(const std::string& title,
                                                          const nlohmann::ordered_json& run,
                                                          const Result<T>& result,
                                                          const ReportLabels& labels);

/// Stages report.html; the caller publishes it.
template <class T>
void stage_report(OutputFolder& folder, const std::string& title, const nlohmann::ordered_json& run,
                  const Result<T>& result, const ReportLabels& labels);

}  // namespace anmf::cli
