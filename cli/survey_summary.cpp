// SPDX-License-Identifier: MIT
#include "survey_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rank_list.h"
#include "run_folder.h"
#include "survey_progress.h"

namespace anmf::cli {
namespace {

std::string cell(double value) { return std::isfinite(value) ? fmt::format("{:.4g}", value) : "-"; }

void print_ranks(const SurveyTable& table) {
  fmt::print("{:>6} {:>7} {:>11} {:>11} {:>10} {:>10} {:>10}\n", "rank", "starts", "best error", "held out",
             "+-", "silhouette", "worst");
  for (const RankSummary& rank : table.ranks) {
    const double error = std::isfinite(rank.explained) ? std::sqrt(std::max(0.0, 1 - rank.explained)) : NAN;
    fmt::print("{:>6} {:>7} {:>11} {:>11} {:>10} {:>10} {:>10}{}\n", rank.rank, rank.starts, cell(error),
               cell(std::isfinite(rank.heldout) ? rank.heldout : rank.bcv), cell(rank.heldout_se),
               cell(rank.silhouette), cell(rank.silhouette_min), rank.suggested ? "  <-" : "");
  }
}

void print_suggestion(const RankSuggestion& suggestion) {
  if (suggestion.rank > 0) {
    fmt::print("suggestion      rank {}\n", suggestion.rank);
  } else if (!suggestion.alternatives.empty()) {
    fmt::print("suggestion      none; rank {} may be right\n", fmt::join(suggestion.alternatives, " or "));
  } else {
    fmt::print("suggestion      none\n");
  }
  for (const std::string& reason : suggestion.reasons) fmt::print("                {}\n", reason);
}

}  // namespace

std::string survey_title(const SurveyArguments& arguments) {
  const std::string name = std::filesystem::path(arguments.input.file).filename().string();
  const std::vector<Index>& ranks = arguments.options.ranks;
  const std::string count = ranks.size() == 1 ? fmt::format("{}", ranks.front())
                                              : fmt::format("{} to {}", ranks.front(), ranks.back());
  return fmt::format("{}: {} component{}", name.substr(0, name.find('.')), count, count == "1" ? "" : "s");
}

std::string about_failed_jobs(const SurveyTable& table) {
  const auto failed = [](const JobRecord& job) { return job.status == JobStatus::failed; };
  const auto first = std::ranges::find_if(table.jobs, failed);
  if (first == table.jobs.end()) return {};
  const auto count = std::ranges::count_if(table.jobs, failed);
  return fmt::format("{} job{} failed, the first one {}: {} --retry-failed makes {} again.", count,
                     count == 1 ? "" : "s", describe_job(first->key), first->message,
                     count == 1 ? "it" : "them");
}

void print_survey(const SurveyArguments& arguments, const SurveyTable& table, Index made) {
  const std::string& out = arguments.out;
  fmt::print("matrix          {}\n", arguments.input.file);
  fmt::print("survey          ranks {}, {} starts each\n", format_ranks(arguments.options.ranks),
             arguments.options.starts);
  fmt::print("jobs            {} made, {} were there\n", made,
             std::max<Index>(0, static_cast<Index>(table.jobs.size()) - made));
  print_ranks(table);
  print_suggestion(table.suggestion);
  fmt::print("files           {}: survey.json, survey.csv, jobs.csv, components.csv\n", out);
  if (has_report_page() && !arguments.report.no_report) fmt::print("look at         {}/report.html\n", out);
  if (table.stopped) {
    fmt::print("go on with      anmf survey --resume {}\n", out);
    return;
  }
  const Index next = table.suggestion.rank > 0                ? table.suggestion.rank
                     : !table.suggestion.alternatives.empty() ? table.suggestion.alternatives.front()
                                                              : arguments.options.ranks.back();
  fmt::print("go on with      anmf consensus {} --rank {}\n", out, next);
}

}  // namespace anmf::cli
