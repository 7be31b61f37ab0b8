// SPDX-License-Identifier: MIT
#include "survey_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <ostream>
#include <type_traits>
#include <utility>
#include <vector>

#include "anmf/error.h"
#include "anmf/files.h"
#include "anmf/version.h"
#include "json_values.h"
#include "survey_columns.h"
#include "survey_records.h"
#include "survey_report.h"

namespace anmf::report {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kRanksFile = "survey.csv";
constexpr std::string_view kJobsFile = "jobs.csv";
constexpr std::string_view kComponentsFile = "components.csv";

using report::for_each_column;

/// The columns of jobs.csv, for writing.
template <class Row, class Visit>
  requires std::same_as<std::remove_const_t<Row>, JobRecord>
void for_each_column(Row& row, const Visit& column) {
  const bool is_start = row.key.kind == JobKind::start;
  const std::string number = fmt::format("{}", row.key.number);
  column("rank", row.key.rank);
  column("start", is_start ? number : std::string());
  column("kind", std::string(to_string(row.key.kind)));
  column("repeat", is_start ? std::string() : number);
  column("seed", fmt::format("{}", row.seed));
  column("status", std::string(to_string(row.status)));
  column("iterations", row.iterations);
  column("seconds", row.seconds);
  column("error", row.error);
  column("relative_error", row.relative_error);
  column("kkt", row.kkt);
  column("message", row.message);
}

std::string field(Index value) { return fmt::format("{}", value); }
std::string field(bool value) { return value ? "true" : "false"; }
/// The shortest text that reads back as the same number.
std::string field(double value) { return std::isfinite(value) ? fmt::format("{}", value) : std::string(); }
std::string field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + '"';
}

template <class Row>
void write_csv(const fs::path& path, const std::vector<Row>& rows) {
  const auto join = [](const Row& row, const auto& text_of) {
    std::string line;
    for_each_column(row, [&](const char* name, const auto& value) {
      if (!line.empty() || name != std::string_view("rank")) line += ',';
      line += text_of(name, value);
    });
    return line;
  };
  io::write_atomically(path, [&](std::ostream& out) {
    out << join(Row{}, [](const char* name, const auto& /*value*/) { return std::string(name); }) << '\n';
    for (const Row& row : rows)
      out << join(row, [](const char* /*name*/, const auto& value) { return field(value); }) << '\n';
  });
}

using Line = std::vector<std::string>;

[[noreturn]] void fail(const fs::path& path, std::string_view what) {
  throw InvalidInput(fmt::format("{}: {}. anmf survey --resume '{}' writes it anew.", path.string(), what,
                                 path.parent_path().string()));
}

std::string read_text(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) fail(path, "the file cannot be read");
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// Fields in quotes may hold anything. Nothing if the last line has no end.
std::optional<std::vector<Line>> parse_csv(std::string_view text) {
  std::vector<Line> lines;
  Line line;
  std::string word;
  bool quoted = false;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const char c = text[k];
    if (quoted) {
      if (c != '"') {
        word += c;
      } else if (k + 1 < text.size() && text[k + 1] == '"') {
        word += text[++k];
      } else {
        quoted = false;
      }
    } else if (c == '"') {
      quoted = true;
    } else if (c == ',' || c == '\n') {
      line.push_back(std::move(word));
      word.clear();
      if (c == '\n') lines.push_back(std::exchange(line, {}));
    } else if (c != '\r') {
      word += c;
    }
  }
  if (quoted || !word.empty() || !line.empty()) return std::nullopt;
  return lines;
}

template <class Number>
bool parse(const std::string& text, Number& value) {
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && stop == text.data() + text.size();
}

bool parse_field(const std::string& text, Index& value) { return parse(text, value); }
bool parse_field(const std::string& text, double& value) {
  if (!text.empty()) return parse(text, value);
  value = RankSummary::kNone;
  return true;
}
bool parse_field(const std::string& text, bool& value) {
  value = text == "true";
  return value || text == "false";
}

/// The lines below that with the names, which must be those of this version.
template <class Row>
std::vector<Line> read_lines(const fs::path& path) {
  auto parsed = parse_csv(read_text(path));
  if (!parsed) fail(path, "the table ends in the midst of a line");
  std::vector<Line> lines = std::move(*parsed);
  Line names;
  const Row row{};
  for_each_column(row, [&](const char* name, const auto& /*value*/) { names.emplace_back(name); });
  if (lines.empty() || lines.front() != names) fail(path, "the table has not the columns of this version");
  lines.erase(lines.begin());
  for (const Line& line : lines) {
    if (line.size() != names.size()) fail(path, "a line has not as many fields as there are columns");
  }
  return lines;
}

template <class Row>
std::vector<Row> read_csv(const fs::path& path) {
  std::vector<Row> rows;
  for (const Line& line : read_lines<Row>(path)) {
    std::size_t place = 0;
    for_each_column(rows.emplace_back(), [&](const char* name, auto& value) {
      const std::string& text = line[place++];
      if (!parse_field(text, value)) fail(path, fmt::format("'{}' cannot be a value of {}", text, name));
    });
  }
  return rows;
}

std::vector<JobRecord> read_jobs(const fs::path& path) {
  std::vector<JobRecord> jobs;
  for (const Line& line : read_lines<JobRecord>(path)) {
    JobRecord& job = jobs.emplace_back();
    const auto kind = job_kind(line[2]);
    const auto status = job_status(line[5]);
    if (!kind || !status) fail(path, "a job has words that nobody knows");
    job.key.kind = *kind;
    job.status = *status;
    job.message = line[11];
    const bool whole = parse(line[0], job.key.rank) &&
                       parse(line[*kind == JobKind::start ? 1 : 3], job.key.number) &&
                       parse(line[4], job.seed) && parse(line[6], job.iterations) &&
                       parse_field(line[7], job.seconds) && parse_field(line[8], job.error) &&
                       parse_field(line[9], job.relative_error) && parse_field(line[10], job.kkt);
    if (!whole) fail(path, "a field of a job is no number");
  }
  return jobs;
}

RankSuggestion parse_suggestion(const Json& json) {
  const Json& rank = json.at("rank");
  return {.rank = rank.is_null() ? 0 : rank.get<Index>(),
          .rule = json.at("rule").get<std::string>(),
          .reasons = json.at("reasons").get<std::vector<std::string>>(),
          .alternatives = json.at("alternatives").get<std::vector<Index>>(),
          .edge = json.at("edge").get<bool>()};
}

Json describe_failed(const std::vector<JobRecord>& jobs) {
  Json failed = Json::array();
  for (const JobRecord& job : jobs) {
    if (job.status != JobStatus::failed) continue;
    failed.push_back({{"rank", job.key.rank},
                      {"kind", to_string(job.key.kind)},
                      {job.key.kind == JobKind::start ? "start" : "repeat", job.key.number},
                      {"message", job.message}});
  }
  return failed;
}

}  // namespace

Json describe_survey(const SurveyInput& input, const Json& key, const SurveyTable& table, double seconds) {
  Json ranks = Json::array();
  for (const RankSummary& summary : table.ranks) ranks.push_back(summary.rank);
  return {{"format", 1},
          {"kind", "survey"},
          {"version", kVersion},
          {"input",
           {{"name", input.name},
            {"rows", input.rows},
            {"cols", input.cols},
            {"nonzeros", input.nonzeros},
            {"norm", input.norm},
            {"checksum", input.checksum}}},
          {"key", key},
          {"ranks", std::move(ranks)},
          {"suggestion", describe_suggestion(table.suggestion)},
          {"failed", describe_failed(table.jobs)},
          {"notes", table.notes},
          {"seconds", number(seconds)}};
}

void write_survey_description(const fs::path& folder, const Json& description) {
  const std::string text = description.dump(2, ' ', false, Json::error_handler_t::replace);
  io::write_atomically(folder / kSurveyFile, [&](std::ostream& out) { out << text << '\n'; });
}

void write_survey_tables(const fs::path& folder, const Json& description, const SurveyTable& table) {
  write_csv(folder / kRanksFile, table.ranks);
  write_csv(folder / kJobsFile, table.jobs);
  write_csv(folder / kComponentsFile, table.components);
  write_survey_description(folder, description);
}

Json read_survey_description(const fs::path& folder) {
  std::ifstream in(folder / kSurveyFile, std::ios::binary);
  if (!in) {
    throw InvalidInput(fmt::format("'{}' is not the folder of a survey: it has no {} that can be read.",
                                   folder.string(), kSurveyFile));
  }
  Json json = Json::parse(in, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || json.value("kind", Json()) != "survey" || !json.contains("format")) {
    throw InvalidInput(fmt::format("'{}' is not the {} of a survey, or it is damaged.",
                                   (folder / kSurveyFile).string(), kSurveyFile));
  }
  if (json["format"] != 1) {
    throw InvalidInput(fmt::format("'{}' is of format {}; this version of anmf reads format 1.",
                                   (folder / kSurveyFile).string(), json["format"].dump()));
  }
  const auto has = [&json](const char* part, std::initializer_list<const char*> names) {
    const auto found = json.find(part);
    if (found == json.end() || !found->is_object()) return false;
    return std::all_of(names.begin(), names.end(), [&](const char* name) { return found->contains(name); });
  };
  if (!has("input", {"name", "rows", "cols", "nonzeros", "norm", "checksum"}) || !has("key", {"version"}) ||
      !has("suggestion", {"rank", "rule", "reasons", "alternatives", "edge"}) || !json.contains("notes")) {
    throw InvalidInput(fmt::format("'{}' is damaged: it does not say what the survey is of.",
                                   (folder / kSurveyFile).string()));
  }
  return json;
}

SavedSurvey read_survey(const fs::path& folder) {
  SavedSurvey saved{.description = read_survey_description(folder), .table = {}};
  if (saved.description.value("ranks", Json::array()).empty()) {
    throw InvalidInput(
        fmt::format("The survey in '{0}' has no tables yet; anmf survey --resume '{0}' goes on "
                    "with it and writes them.",
                    folder.string()));
  }
  try {
    saved.table.suggestion = parse_suggestion(saved.description.at("suggestion"));
    saved.table.notes = saved.description.at("notes").get<std::vector<std::string>>();
  } catch (const Json::exception& error) {
    throw InvalidInput(fmt::format("'{}' is damaged: {}.", (folder / kSurveyFile).string(), error.what()));
  }
  saved.table.ranks = read_csv<RankSummary>(folder / kRanksFile);
  saved.table.components = read_csv<ComponentSummary>(folder / kComponentsFile);
  saved.table.jobs = read_jobs(folder / kJobsFile);
  Json ranks = Json::array();
  for (const RankSummary& summary : saved.table.ranks) ranks.push_back(summary.rank);
  if (ranks != saved.description["ranks"])
    fail(folder / kRanksFile, fmt::format("its ranks are not those of {}", kSurveyFile));
  return saved;
}

}  // namespace anmf::report
