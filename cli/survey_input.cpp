// SPDX-License-Identifier: MIT
#include "survey_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "anmf/estimate.h"
#include "anmf/parallel.h"
#include "entries.h"
#include "estimate.h"
#include "failure.h"
#include "open_input.h"
#include "run_folder.h"

namespace anmf::cli {
namespace {

/// What a survey takes in the place of a run.
template <class T>
RunExtras extras_of(const SurveyArguments& arguments, int jobs, SurveyInput place) {
  SurveyOptions options = arguments.options;
  options.jobs = jobs;
  const int threads = ThreadPool(options.job.threads).threads();
  RunExtras extras{.reports = has_report_page() && !arguments.report.no_report};
  extras.instead = [options, threads, place](const PlannedRun& run) {
    return survey_memory<T>(run.rows, run.cols, run.nonzeros, options, threads, place).peak(false);
  };
  return extras;
}

/// A survey that was begun with a file knows where it was.
std::unique_ptr<io::MatrixFile> open_survey_file(const SurveyArguments& arguments) {
  try {
    return std::make_unique<io::MatrixFile>(open_file(arguments.input.file, arguments.input));
  } catch (const Failure& failure) {
    if (!arguments.resume || arguments.input_typed) throw;
    throw Failure(
        failure.code(),
        fmt::format("{} The survey in '{}' is of this file; if it has moved, name it before the options.",
                    failure.what(), arguments.out));
  }
}

/// As many jobs as threads, if nobody says otherwise and the memory suffices.
template <class T>
void choose_jobs(SurveyArguments& arguments, SurveyMatrix<T>& matrix, int most) {
  const auto peak = [&](int jobs) {
    return estimate_run(matrix.input, extras_of<T>(arguments, jobs, matrix.place())).peak_bytes;
  };
  int jobs = most;
  while (arguments.memory && jobs > 1 && peak(jobs) > *arguments.memory) --jobs;
  arguments.options.jobs = jobs;
  matrix.peak_bytes = matrix.input.plan ? matrix.input.plan->peak_bytes : peak(jobs);
}

/// Nothing if it does not fit.
template <class T>
std::optional<InputPlan> plan_that_fits(const InputRequest& request) {
  try {
    return plan_input<T>(request);
  } catch (const Failure&) {
    return std::nullopt;
  }
}

/// Sums over blocks have other last digits in blocks of another size, so a survey that goes on reads those it
/// began with.
constexpr const char* kBlockBytes = "block_bytes";

void keep_blocks(const std::filesystem::path& folder, StreamPlan& plan) {
  plan.block_bytes = std::floor(plan.block_bytes);
  std::error_code error;
  if (!std::filesystem::exists(folder / report::kSurveyFile, error)) return;
  const auto description = in_phase(ExitCode::input, [&] { return report::read_survey_description(folder); });
  const auto& key = description.at("key");
  if (key.contains(kBlockBytes) && key.at(kBlockBytes).is_number())
    plan.block_bytes = key.at(kBlockBytes).template get<double>();
}

}  // namespace

template <class T>
SurveyMatrix<T> open_survey_matrix(SurveyArguments& arguments) {
  SurveyMatrix<T> matrix;
  matrix.file = open_survey_file(arguments);
  Options job = arguments.options.job;
  job.rank = arguments.options.ranks.back();
  const int threads = ThreadPool(job.threads).threads();
  MemoryBudget memory = {.limit = arguments.memory,
                         .extras = extras_of<T>(arguments, 1, SurveyInput::memory)};
  const InputRequest request = {*matrix.file, arguments.input, arguments.report, job, memory};
  InputPlan plan = plan_input<T>(request);
  const SurveyInput place = plan.stream ? SurveyInput::disk : SurveyInput::memory;
  int jobs = arguments.options.jobs;
  if (jobs == 0) jobs = jobs_at_a_time(arguments.options, threads, place);
  // Jobs that share their passes are worth more than large blocks.
  for (; plan.stream && jobs > 1; jobs = (jobs + 1) / 2) {
    memory.extras = extras_of<T>(arguments, jobs, place);
    std::optional<InputPlan> shared = plan_that_fits<T>(request);
    if (!shared) continue;
    plan = std::move(*shared);
    break;
  }
  if (plan.stream) keep_blocks(arguments.out, *plan.stream);
  matrix.input = open_input<T>(request, std::move(plan));
  MatrixLabels& labels = matrix.input.labels;
  labels.feature_axis = arguments.options.spectra == Side::H ? Axis::columns : Axis::rows;
  choose_jobs(arguments, matrix, jobs);
  return matrix;
}

template <class T>
report::SurveyFolderSettings folder_settings(const SurveyArguments& arguments,
                                             const SurveyMatrix<T>& matrix) {
  const SurveyOptions& options = arguments.options;
  ThreadPool pool(options.job.threads);
  const std::string name = std::filesystem::absolute(arguments.input.file).string();
  report::SurveyFolderSettings settings = {.input = report::survey_input(name, matrix.data(), pool),
                                           .key = report::survey_key(options, kPrecision<T>),
                                           .spectra = options.spectra,
                                           .keep_usages = arguments.keep_usages,
                                           .mix_versions = arguments.mix_versions};
  if (matrix.input.plan) settings.key[kBlockBytes] = matrix.input.plan->block_bytes;
  return settings;
}

template report::SurveyFolderSettings folder_settings(const SurveyArguments&, const SurveyMatrix<float>&);
template report::SurveyFolderSettings folder_settings(const SurveyArguments&, const SurveyMatrix<double>&);
template SurveyMatrix<float> open_survey_matrix(SurveyArguments&);
template SurveyMatrix<double> open_survey_matrix(SurveyArguments&);

}  // namespace anmf::cli
