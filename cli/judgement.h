// SPDX-License-Identifier: MIT
// How good the fit of a run is, looked at when it has ended. A matrix that stays on disk, or that several
// processes share, is not read once more for that.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "anmf/result.h"
#include "input.h"
#include "report_labels.h"

namespace anmf::cli {

/// Puts best_rank_error into the description of a run: a number, or null and best_rank_note, a sentence that
/// says why there is none.
template <class T>
void describe_bound(nlohmann::ordered_json& description, const Input<T>& input, const Result<T>& result,
                    bool wanted);

/// The residual by row and column, and examples, for the report page; null where that is not looked at.
template <class T>
[[nodiscard]] nlohmann::ordered_json judge_fit(const Input<T>& input, const Result<T>& result,
                                               const ReportLabels& labels);

}  // namespace anmf::cli
