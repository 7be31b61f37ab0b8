// SPDX-License-Identifier: MIT
// The data of the report page for one factorization.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "anmf/result.h"
#include "labels.h"

namespace anmf::report {

/// `run` is what describe_run() gives, `command` what was typed, if anything, `fit` what describe_fit()
/// gives, or null where M is not at hand. web/src/document.ts has the keys.
template <class T>
[[nodiscard]] nlohmann::ordered_json factorization_report(const std::string& title,
                                                          const std::string& command,
                                                          const nlohmann::ordered_json& run,
                                                          const Result<T>& result, const ReportLabels& labels,
                                                          nlohmann::ordered_json fit);

}  // namespace anmf::report
