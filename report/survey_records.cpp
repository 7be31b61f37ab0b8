// SPDX-License-Identifier: MIT
#include "survey_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "anmf/error.h"
#include "json_values.h"

namespace anmf::report {
namespace {

constexpr std::string_view kEnding = ".npz";
constexpr std::array kKinds = {JobKind::start, JobKind::heldout, JobKind::bcv};
constexpr std::array kStatus = {JobStatus::converged, JobStatus::iteration_limit, JobStatus::failed};

char letter_of(JobKind kind) { return to_string(kind).front(); }

template <class Values>
std::optional<typename Values::value_type> find_word(const Values& values, std::string_view word) {
  const auto found =
      std::find_if(values.begin(), values.end(), [&](auto value) { return to_string(value) == word; });
  return found == values.end() ? std::nullopt : std::optional(*found);
}

double parse_number(const Json& json) { return json.is_null() ? RankSummary::kNone : json.get<double>(); }

}  // namespace

std::string rank_name(Index rank) { return fmt::format("k{:02}", rank); }

std::string job_name(const JobKey& key) {
  return fmt::format("{}{:04}{}", letter_of(key.kind), key.number, kEnding);
}

std::optional<JobKey> parse_job_name(Index rank, std::string_view name) {
  if (!name.ends_with(kEnding) || name.size() <= kEnding.size() + 1) return std::nullopt;
  JobKey key{.rank = rank};
  const char* const end = name.data() + name.size() - kEnding.size();
  const auto [stop, error] = std::from_chars(name.data() + 1, end, key.number);
  if (error != std::errc{} || stop != end) return std::nullopt;
  for (const JobKind kind : kKinds) {
    key.kind = kind;
    if (job_name(key) == name) return key;
  }
  return std::nullopt;
}

std::optional<JobKind> job_kind(std::string_view word) { return find_word(kKinds, word); }
std::optional<JobStatus> job_status(std::string_view word) { return find_word(kStatus, word); }

Json describe_record(const JobRecord& record) {
  return {{"rank", record.key.rank},
          {"kind", to_string(record.key.kind)},
          {"number", record.key.number},
          {"seed", record.seed},
          {"status", to_string(record.status)},
          {"iterations", record.iterations},
          {"seconds", number(record.seconds)},
          {"error", number(record.error)},
          {"relative_error", number(record.relative_error)},
          {"kkt", number(record.kkt)},
          {"message", record.message}};
}

JobRecord parse_record(const Json& json) {
  const auto kind = job_kind(json.at("kind").get<std::string>());
  const auto status = job_status(json.at("status").get<std::string>());
  if (!kind || !status) throw InvalidInput("The record of a job has words that nobody knows.");
  return {.key = {json.at("rank").get<Index>(), *kind, json.at("number").get<Index>()},
          .seed = json.at("seed").get<std::uint64_t>(),
          .status = *status,
          .iterations = json.at("iterations").get<Index>(),
          .seconds = parse_number(json.at("seconds")),
          .error = parse_number(json.at("error")),
          .relative_error = parse_number(json.at("relative_error")),
          .kkt = parse_number(json.at("kkt")),
          .message = json.at("message").get<std::string>()};
}

}  // namespace anmf::report
