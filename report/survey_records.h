// SPDX-License-Identifier: MIT
// Jobs of a survey as JSON, and the names of what a survey keeps of a rank.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "anmf/survey.h"

namespace anmf::report {

/// "k09"
[[nodiscard]] std::string rank_name(Index rank);
/// "s0003.npz" of a start; h and b stand for what is held out and for bi-cross-validation.
[[nodiscard]] std::string job_name(const JobKey& key);
/// Nothing for another name.
[[nodiscard]] std::optional<JobKey> parse_job_name(Index rank, std::string_view name);

/// Nothing if there is no such word.
[[nodiscard]] std::optional<JobKind> job_kind(std::string_view word);
[[nodiscard]] std::optional<JobStatus> job_status(std::string_view word);

[[nodiscard]] nlohmann::ordered_json describe_record(const JobRecord& record);
/// Throws InvalidInput, or an exception of the JSON library, if it is none.
[[nodiscard]] JobRecord parse_record(const nlohmann::ordered_json& json);

}  // namespace anmf::report
