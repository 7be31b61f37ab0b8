// SPDX-License-Identifier: MIT
// Seconds of a survey = flops of an iteration of every job * iterations of a start * seconds per flop of that
// start / jobs at a time. The start is of the middle rank.
#include "survey_dry_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "anmf/estimate.h"
#include "anmf/factorize.h"
#include "bytes.h"
#include "failure.h"
#include "output_folder.h"
#include "progress.h"
#include "rank_list.h"
#include "run_folder.h"

namespace anmf::cli {
namespace {

constexpr double kMostSecondsOfTrial = 2;

struct Trial {
  Index rank = 0;
  Index iterations = 0;
  double seconds = 0;
  bool ended = false;         ///< by itself, and not by the clock
  double survey_seconds = 0;  ///< of all jobs
};

template <class T>
Trial try_a_start(const SurveyOptions& options, const Data<T>& data, std::size_t jobs) {
  const Index rank = options.ranks[options.ranks.size() / 2];
  const JobKey key{.rank = rank};
  Options job = job_options(options, key);
  job.threads = 1;
  job.time_limit = kMostSecondsOfTrial;
  const Result<T> result = factorize(data, job);
  Trial trial{.rank = rank,
              .iterations = result.iterations,
              .seconds = result.seconds,
              .ended = result.status != Status::time_limit};
  const Index rows = data.rows();
  const Index cols = data.cols();
  const double one = job_flops(rows, cols, data.nonzeros(), options, key).least;
  const double all = survey_flops(rows, cols, data.nonzeros(), options).least;
  const int at_a_time = static_cast<int>(std::min<std::size_t>(static_cast<std::size_t>(options.jobs), jobs));
  // A start that was cut may take as many iterations as it may.
  const double longer = trial.ended || trial.iterations == 0
                            ? 1
                            : static_cast<double>(job.max_iterations) / static_cast<double>(trial.iterations);
  trial.survey_seconds = trial.seconds * longer * all / one / at_a_time;
  return trial;
}

}  // namespace

template <class T>
void print_survey_needs(const SurveyArguments& arguments, const SurveyMatrix<T>& matrix) {
  const SurveyOptions& options = arguments.options;
  const std::size_t jobs = survey_jobs(options).size();
  const Trial trial = in_phase(ExitCode::usage, [&] { return try_a_start(options, matrix.data(), jobs); });
  if (arguments.json) {
    nlohmann::ordered_json json;
    report::describe_input(json, summarize(arguments.input.file, matrix.data()), kPrecision<T>);
    json["ranks"] = options.ranks;
    json["jobs"] = jobs;
    json["jobs_at_a_time"] = options.jobs;
    json["seconds"] = trial.survey_seconds;
    json["seconds_are_a_limit"] = !trial.ended;
    json["peak_bytes"] = static_cast<std::uint64_t>(matrix.peak_bytes);
    fmt::print("{}", json_text(json));
    return;
  }
  if (arguments.quiet) return;
  fmt::print("matrix          {} ({} x {})\n", arguments.input.file, matrix.data().rows(),
             matrix.data().cols());
  fmt::print("survey          {} jobs, {} at a time, of ranks {}\n", jobs, options.jobs,
             format_ranks(options.ranks));
  fmt::print("time            {} {}: a start of rank {} took {} iterations in {}{}\n",
             trial.ended ? "about" : "at most", format_duration(trial.survey_seconds), trial.rank,
             trial.iterations, format_duration(trial.seconds),
             trial.ended ? "" : fmt::format(", and may take {}", options.job.max_iterations));
  fmt::print("memory          about {} at the peak\n", format_bytes(matrix.peak_bytes));
}

template void print_survey_needs(const SurveyArguments&, const SurveyMatrix<float>&);
template void print_survey_needs(const SurveyArguments&, const SurveyMatrix<double>&);

}  // namespace anmf::cli
