// SPDX-License-Identifier: MIT
#include "survey_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "anmf/files.h"
#include "anmf/options.h"
#include "engine_options.h"
#include "failure.h"
#include "option_helpers.h"
#include "prepare.h"
#include "rank_list.h"
#include "report_labels.h"
#include "streaming.h"
#include "survey_folder.h"

namespace anmf::cli {
namespace fs = std::filesystem;
namespace {

constexpr const char* kJobsGroup = "Which jobs";
constexpr const char* kJudgedGroup = "How they are judged";
constexpr Index kMostStarts = 1'000'000;

/// Those that a survey sets for every job, or refuses.
constexpr std::array<std::string_view, 6> kSetBySurvey = {"rank",    "seed",         "explore",
                                                          "heldout", "heldout_seed", "time_limit"};

/// An option of factorize that people will try, with the reason why a survey has it not.
void add_refused(CLI::App& app, const std::string& name, const std::string& reason,
                 const std::string& allowed = {}) {
  add_text(
      app, name,
      [name, reason, allowed](const std::string& word) {
        if (!allowed.empty() && word == allowed) return;
        throw CLI::ValidationError(fmt::format("{} does not go with a survey: {}", name, reason));
      },
      "", "X")
      ->configurable(false)
      ->group("");
}

void add_refused_options(CLI::App& app) {
  add_refused(app, "--time-limit",
              "what a job finds would hang on how busy the machine is. --max-iterations ends jobs after a "
              "number of iterations");
  add_refused(app, "--explore",
              "its starts tell how different the minima are, and an exploration would hide that. Only "
              "--explore off goes",
              "off");
  for (const char* name : {"--init-w", "--init-h"})
    add_refused(app, name, "its starts have to differ, and are random");
  add_refused(app, "--rank", "it has several. --ranks 2-15 names them");
  add_refused(app, "--heldout-seed", "it hides other entries in every repeat. --seed changes them");
}

Resampling parse_resampling(const std::string& text) {
  using Kind = Resampling::Kind;
  constexpr std::array<std::pair<std::string_view, Kind>, 3> kWords = {
      {{"none", Kind::none}, {"poisson", Kind::poisson}, {"multinomial", Kind::multinomial}}};
  for (const auto& [word, kind] : kWords) {
    if (text == word) return {.kind = kind};
  }
  constexpr std::string_view kUniform = "uniform:";
  double width = 0;
  const char* const end = text.data() + text.size();
  const bool uniform = text.starts_with(kUniform);
  const auto [stop, error] =
      std::from_chars(text.data() + (uniform ? kUniform.size() : text.size()), end, width);
  if (uniform && error == std::errc{} && stop == end && width > 0 && width <= 1)
    return {.kind = Kind::uniform, .width = width};
  throw CLI::ValidationError(fmt::format(
      "--resample must be none, poisson, multinomial, or uniform:E with E in (0, 1], not '{}'", text));
}

SurveyPart parse_part(const std::string& text) {
  SurveyPart part;
  const char* const end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, part.number);
  const bool slash = first.ec == std::errc{} && first.ptr != end && *first.ptr == '/';
  const auto second = std::from_chars(slash ? first.ptr + 1 : end, end, part.count);
  if (!slash || second.ec != std::errc{} || second.ptr != end || part.number < 1 ||
      part.number > part.count) {
    throw CLI::ValidationError(fmt::format(
        "--part must be I/N with 1 <= I <= N, such as 3/16 for the third of sixteen, not '{}'", text));
  }
  return part;
}

void add_job_options(CLI::App& app, SurveyArguments& arguments) {
  SurveyOptions& options = arguments.options;
  add_text(
      app, "--ranks", [&options](const std::string& text) { options.ranks = parse_ranks("--ranks", text); },
      wrapped("Numbers of components to look at: 2-15, 5-50:5 in steps of five, or 4,8,16"), "RANKS")
      ->required()
      ->group(kJobsGroup);
  const auto group = [](CLI::Option* option) { option->group(kJobsGroup); };
  group(add_number(app, "--starts", options.starts, Range<Index>{.low = 1, .high = kMostStarts},
                   "Factorizations of every rank, each from a random start of its own", "50"));
  group(add_number(app, "--seed", options.seed, Range<std::uint64_t>{},
                   "Seed of all random numbers of the survey", "0"));
  group(add_choice<Side>(app, "--features", options.spectra, {{"columns", Side::H}, {"rows", Side::W}},
                         "Where the features are, in which a component has its spectrum: the columns of the "
                         "matrix, or its rows; the others are the samples (default columns)"));
  group(add_text(
      app, "--resample", [&options](const std::string& text) { options.resampling = parse_resampling(text); },
      wrapped(
          "Draw the entries anew before every start, so that the starts differ as much as the data vary: "
          "poisson counts, multinomial counts with the totals of the samples, or each entry times a number "
          "in [1-E, 1+E] (default none)"),
      "none|poisson|multinomial|uniform:E"));
  group(
      add_choice<bool>(app, "--keep", arguments.keep_usages, {{"spectra", false}, {"all", true}},
                       "What stays of every start: its spectra, or both factors; of the best start there are "
                       "both (default spectra)"));
  group(add_number(app, "--jobs", options.jobs, Range<int>{.low = 0, .high = 4096},
                   "Factorizations at a time", "one for every thread, fewer if --memory asks for it"));
  group(add_text(
      app, "--part", [&arguments](const std::string& text) { arguments.part = parse_part(text); },
      wrapped("Make only the I-th of N parts of the jobs, into a folder that all parts share; --resume sums "
              "them up"),
      "I/N"));
  app.get_option("--part")->configurable(false);
  app.add_flag("--retry-failed", options.retry_failed, wrapped("Make jobs again that have failed"))
      ->group(kJobsGroup);
  app.add_flag("--mix-versions", arguments.mix_versions,
               wrapped("Go on with a survey of another version of anmf, whose bits may differ"))
      ->group(kJobsGroup);
}

void add_judging_options(CLI::App& app, SurveyArguments& arguments) {
  SurveyOptions& options = arguments.options;
  const auto group = [](CLI::Option* option) { option->group(kJudgedGroup); };
  group(add_choice<Holdout>(
      app, "--heldout", options.heldout,
      {{"speckled", Holdout::speckled}, {"bcv", Holdout::bcv}, {"none", Holdout::none}},
      "How ranks are judged: by single entries that are held out, which suggests one; by blocks of rows and "
      "columns (bi-cross-validation), which is shown only; or not (default speckled)"));
  group(add_number(app, "--heldout-fraction", options.heldout_fraction,
                   Range<double>{.low = 0.001, .high = 0.5}, "Share of the entries that are held out",
                   "0.1"));
  group(add_number(app, "--heldout-repeats", options.heldout_repeats, Range<Index>{.low = 1, .high = 1000},
                   "How often, each time other entries", "5"));
  add_cluster_options(app, options.clusters);
  group(add_number(app, "--consensus-rows", options.consensus_rows, Range<Index>{.low = 2, .high = 65536},
                   "Samples in the consensus matrix, drawn if there are more", "2000"));
}

void add_survey_printing(CLI::App& app, SurveyArguments& arguments) {
  const std::string group = "What is printed";
  app.add_flag("--quiet", arguments.quiet, wrapped("Print nothing but errors, and what --json asks for"))
      ->group(group);
  app.add_flag("--json", arguments.json,
               wrapped("Print one JSON object, the content of survey.json, in the place of the summary"))
      ->group(group);
  app.add_flag("--dry-run", arguments.dry_run,
               wrapped("Only read the input, make one start for two seconds at most, and print the time and "
                       "memory that the survey would take; no file is written"))
      ->group(group);
}

void add_resume(CLI::App& app, SurveyArguments& arguments) {
  const auto resume = [&app, &arguments](const std::string& folder) {
    arguments.resume = folder;
    arguments.input_typed = app.get_option("INPUT")->count() > 0;
    std::vector<Setting> settings = read_survey_settings(folder);
    settings.push_back({.name = "out", .value = folder, .where = folder});
    apply_settings(app, settings);
  };
  add_text(
      app, "--resume", resume,
      wrapped("Go on with the survey in this folder, with its matrix and options. --ranks and --starts add "
              "to those it has; clusters, what is held out, threads and outputs may be others, too"),
      "DIR")
      ->configurable(false)
      ->group(kSavedGroup);
}

}  // namespace

void add_cluster_options(CLI::App& app, ClusterOptions& clusters) {
  const auto group = [](CLI::Option* option) { option->group(kJudgedGroup); };
  group(add_choice<ClusterKind>(
      app, "--clusters", clusters.kind, {{"matched", ClusterKind::matched}, {"free", ClusterKind::free}},
      "How the spectra of all starts become components: every start gives one to each, or k-means, where a "
      "start may give several or none (default matched)"));
  group(add_number(app, "--density-threshold", clusters.density_threshold, Range<double>{.low = 0, .high = 2},
                   "Leave out spectra whose local density is at least this", "2: none; with free 0.5"));
  group(add_number(app, "--neighbourhood", clusters.neighbourhood, Range<double>{.low = 0, .high = 1},
                   "Share of the starts that the local density looks at", "0.3"));
}

void add_survey_options(CLI::App& app, SurveyArguments& arguments) {
  add_input_options(app, arguments.input);
  app.add_option(
         with_short("--out"), arguments.out,
         wrapped("Folder for survey.json, survey.csv, jobs.csv, components.csv and report.html, and the "
                 "factors of every rank; a survey that is there goes on"))
      ->required()
      ->type_name("DIR");
  add_job_options(app, arguments);
  add_judging_options(app, arguments);
  add_prepare(
      app, [&arguments](Preparation steps) { arguments.input.prepare = std::move(steps); },
      "Do this to the entries first, in this order: log1p, sqrt, tfidf, total=SUM, unit-variance, max=X, "
      "top-variance=N, with commas between them; rows are samples, columns are features (default none)");
  add_engine_options(app, arguments.options.job, kSetBySurvey);
  add_refused_options(app);
  add_precision(app, arguments.precision);
  add_memory(app, arguments.memory);
  add_report_options(app, arguments.report);
  app.remove_option(app.get_option("--no-bound"));  // of one factorization
  add_survey_printing(app, arguments);
  add_resume(app, arguments);
  add_config(app);
}

void check_survey_options(const SurveyArguments& arguments) {
  const auto refuse = [](const std::string& sentence) { throw Failure(ExitCode::usage, sentence); };
  const SurveyOptions& options = arguments.options;
  check_weighing(arguments.input, !arguments.input.prepare.empty());
  if (options.job.init != Init::scaled_random && options.job.init != Init::random) {
    refuse(
        "--init must be scaled-random or random in a survey: its starts have to differ, and any other one "
        "is the same every time.");
  }
  if (options.job.rho == RhoSource::measured)
    refuse("--rho measured does not go with a survey: a job would have other bits when it is made again.");
  if (!arguments.input.prepare.empty() && arguments.memory) {
    refuse(
        "--prepare does not go with --memory: it needs all of the matrix in memory. anmf convert --prepare "
        "writes a file that is prepared.");
  }
  if (arguments.part && arguments.dry_run)
    refuse("--part does not go with --dry-run, which is for all jobs.");
  in_phase(ExitCode::usage, [&] { check(job_options(options, {.rank = options.ranks.back()})); });
}

std::string survey_settings(const CLI::App& app) {
  constexpr std::array<std::string_view, 7> kLeftOut = {"out",  "ranks",   "jobs",        "quiet",
                                                        "json", "dry-run", "retry-failed"};
  constexpr std::array<std::string_view, 6> kPaths = {"input",   "feature-names", "missing",
                                                      "weights", "row-weights",   "column-weights"};
  return settings_text(app, kLeftOut, kPaths);
}

std::vector<Setting> read_survey_settings(const fs::path& folder) {
  in_phase(ExitCode::input, [&] { report::expect_survey_or_nothing(folder); });
  const fs::path path = folder / report::kSurveySettings;
  std::error_code error;
  if (!fs::exists(path, error)) {
    throw Failure(ExitCode::input, fmt::format("'{}' is no folder of a survey to go on with: it has no {}.",
                                               folder.string(), report::kSurveySettings));
  }
  return read_settings(path);
}

void join_ranks(const fs::path& folder, std::vector<Index>& ranks) {
  std::error_code error;
  if (!fs::exists(folder / report::kSurveySettings, error)) return;
  for (const Setting& setting : read_survey_settings(folder)) {
    if (setting.name != "ranks") continue;
    std::vector<Index> before;
    try {
      before = parse_ranks("ranks", setting.value);
    } catch (const CLI::ParseError& wrong) {
      throw Failure(ExitCode::input, fmt::format("{}: {}.", setting.where, wrong.what()));
    }
    std::vector<Index> all;
    std::ranges::set_union(before, ranks, std::back_inserter(all));
    ranks = std::move(all);
  }
}

void write_survey_settings(const fs::path& folder, const std::string& settings,
                           std::span<const Index> ranks) {
  const std::string text = fmt::format("ranks = \"{}\"\n{}", format_ranks(ranks), settings);
  io::write_atomically(folder / report::kSurveySettings, [&](std::ostream& out) { out << text; });
}

}  // namespace anmf::cli
