// SPDX-License-Identifier: MIT
// anmf consensus: what the starts of one rank of a survey agree on, cut anew.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "anmf/parallel.h"
#include "command.h"
#include "command_line.h"
#include "failure.h"
#include "interrupt.h"
#include "option_helpers.h"
#include "output_folder.h"
#include "rank_list.h"
#include "report.h"
#include "run_folder.h"
#include "survey_files.h"
#include "survey_folder.h"
#include "survey_input.h"
#include "survey_options.h"
#include "survey_records.h"
#include "survey_refit.h"
#include "survey_summary.h"

namespace anmf::cli {
namespace {

namespace fs = std::filesystem;

struct ConsensusArguments {
  std::string folder;
  Index rank = 0;
  ClusterOptions clusters;
  std::optional<std::string> refit;
  std::optional<std::string> input;
  int threads = 0;
  bool quiet = false;
  bool json = false;
  CLI::App* app = nullptr;

  [[nodiscard]] bool typed(const char* name) const { return app->get_option(name)->count() > 0; }
};

/// The survey that is cut, with the options it was made with.
SurveyArguments survey_of(const ConsensusArguments& arguments) {
  SurveyArguments survey;
  {
    CLI::App parser("survey");
    add_survey_options(parser, survey);
    std::vector<Setting> settings = read_survey_settings(arguments.folder);
    settings.push_back({.name = "out", .value = arguments.folder, .where = arguments.folder});
    apply_settings(parser, settings);
  }
  survey.resume = arguments.folder;
  if (arguments.input) {
    survey.input.file = *arguments.input;
    survey.input_typed = true;
  }
  survey.mix_versions = true;  // no job is made
  survey.options.jobs = 1;
  survey.options.job.threads = arguments.threads;
  ClusterOptions& clusters = survey.options.clusters;
  if (arguments.typed("--clusters")) clusters = {.kind = arguments.clusters.kind};
  if (arguments.typed("--density-threshold"))
    clusters.density_threshold = arguments.clusters.density_threshold;
  if (arguments.typed("--neighbourhood")) clusters.neighbourhood = arguments.clusters.neighbourhood;
  return survey;
}

std::string describe_clusters(const ClusterOptions& clusters, double threshold) {
  return fmt::format("cut anew with {} clusters, density threshold {}, neighbourhood {}",
                     clusters.kind == ClusterKind::free ? "free" : "matched", threshold,
                     clusters.neighbourhood);
}

/// The spectra of a rank as kNN/ has them; nothing if it has none of this size.
template <class T>
Matrix<T> kept_spectra(const fs::path& folder, Index rank, const SurveyOptions& options, Index features) {
  const bool columns = options.spectra == Side::H;
  try {
    const Matrix<T> factor =
        io::read_npy<T>(folder / report::rank_name(rank) / (columns ? "H.npy" : "W.npy"));
    Matrix<T> spectra = columns ? factor : transposed(factor);
    if (spectra.rows() == rank && spectra.cols() == features) return spectra;
  } catch (const InvalidInput&) {  // parents can be left out
    return {};
  } catch (const IoError&) {
    return {};
  }
  return {};
}

/// Puts the rank into the table in the place of what it was, with its parents and those of the next rank.
template <class T>
void put_rank(SurveyTable& table, RankConsensus<T>& found, const fs::path& folder,
              const SurveyOptions& options) {
  const Index rank = found.summary.rank;
  const Index features = found.spectra.cols();
  const auto row = std::ranges::find(table.ranks, rank, &RankSummary::rank);
  found.summary.suggested = row->suggested;
  *row = found.summary;
  const auto beside = [&](Index other) { return kept_spectra<T>(folder, other, options, features); };
  if (row != table.ranks.begin())
    find_parents<T>(found.components, found.spectra.view(), beside(std::prev(row)->rank).view());
  const auto of_rank = [&](Index wanted) {
    return [wanted](const ComponentSummary& component) { return component.rank == wanted; };
  };
  if (const auto next = std::next(row); next != table.ranks.end()) {
    std::vector<ComponentSummary> larger;
    std::ranges::copy_if(table.components, std::back_inserter(larger), of_rank(next->rank));
    const Matrix<T> spectra = beside(next->rank);
    if (spectra.rows() == static_cast<Index>(larger.size())) {
      find_parents<T>(larger, spectra.view(), found.spectra.view());
      std::erase_if(table.components, of_rank(next->rank));
      table.components.insert(table.components.end(), larger.begin(), larger.end());
    }
  }
  std::erase_if(table.components, of_rank(rank));
  table.components.insert(table.components.end(), found.components.begin(), found.components.end());
  std::ranges::stable_sort(table.components, {}, &ComponentSummary::rank);
  const std::string prefix = fmt::format("Rank {}: ", rank);
  std::erase_if(table.notes, [&](const std::string& note) { return note.starts_with(prefix); });
  for (const std::string& note : found.notes) table.notes.push_back(prefix + note);
  table.notes.push_back(prefix + describe_clusters(options.clusters, found.density_threshold) + ".");
}

void print_rank(const SurveyTable& table, const std::string& folder, Index rank,
                const SurveyOptions& options) {
  const RankSummary& row = *std::ranges::find(table.ranks, rank, &RankSummary::rank);
  const auto number = [](double value) { return std::isnan(value) ? "-" : fmt::format("{:.4g}", value); };
  fmt::print("rank            {}, {} starts, {} of {} spectra left out\n", rank, row.starts, row.outliers,
             row.starts * rank);
  fmt::print("clusters        {}\n", options.clusters.kind == ClusterKind::free ? "free" : "matched");
  fmt::print("silhouette      {} on average, {} of the worst component\n", number(row.silhouette),
             number(row.silhouette_min));
  fmt::print("error           {} of the consensus, {} of the best start\n", number(row.consensus_error),
             number(row.error_best));
  fmt::print("{:>9} {:>8} {:>10} {:>10}\n", "component", "members", "silhouette", "usage");
  for (const ComponentSummary& component : table.components) {
    if (component.rank != rank) continue;
    fmt::print("{:>9} {:>8} {:>10} {:>10}\n", component.component, component.members,
               number(component.silhouette), number(component.usage));
  }
  fmt::print("files           {}/{}\n", folder, report::rank_name(rank));
}

template <class T>
ExitCode run(const ConsensusArguments& arguments, SurveyArguments& survey) {
  const fs::path folder = arguments.folder;
  report::SavedSurvey saved = in_phase(ExitCode::input, [&] { return report::read_survey(folder); });
  survey.options.ranks.clear();
  for (const RankSummary& row : saved.table.ranks) survey.options.ranks.push_back(row.rank);
  if (std::ranges::find(survey.options.ranks, arguments.rank) == survey.options.ranks.end()) {
    throw Failure(ExitCode::usage,
                  fmt::format("the survey in '{0}' has no rank {1}; it has {2}. anmf survey "
                              "--resume {0} --ranks {1} adds it.",
                              arguments.folder, arguments.rank, format_ranks(survey.options.ranks)));
  }
  const SurveyMatrix<T> matrix = open_survey_matrix<T>(survey);
  const SurveyOptions& options = survey.options;
  std::optional<RefitMatrix> other;
  if (arguments.refit) other = open_refit_matrix(*arguments.refit, survey, matrix);
  const auto store = in_phase(ExitCode::usage, [&] {
    return std::make_unique<report::SurveyFolder<T>>(folder, folder_settings(survey, matrix));
  });
  std::optional<report::SurveyPictures> pictures;
  if (has_report_page() && !survey.report.no_report) {
    pictures.emplace(options.ranks, options.spectra, for_report(matrix.input.labels),
                     ThreadPool(options.job.threads).threads());
    for (const Index rank : options.ranks) report::find_pictures(folder, *pictures, rank);
    store->set_pictures(&*pictures);  // NOLINT(bugprone-unchecked-optional-access): in_phase() has made it
  }
  // NOLINTNEXTLINE(bugprone-unchecked-optional-access): likewise
  store->set_writer(write_factors_of(survey, matrix.input, matrix.file->location().file));
  RankConsensus<T> found =
      in_phase(ExitCode::usage, [&] { return consensus(matrix.data(), options, *store, arguments.rank); });
  keep_from_here();
  in_phase(ExitCode::output, [&] {
    put_rank(saved.table, found, folder, options);
    const Matrix<T> usages = other ? found.usages : Matrix<T>();
    store->keep(std::move(found));
    if (other) write_refit(folder / report::rank_name(arguments.rank), *other, usages, options.job.threads);
    const nlohmann::ordered_json seconds = saved.description.value("seconds", nlohmann::ordered_json(0.0));
    store->publish(saved.table, seconds.is_number() ? seconds.get<double>() : 0, survey_title(survey),
                   command_line());
  });
  if (arguments.json) {
    fmt::print("{}", json_text(report::read_survey_description(folder)));
  } else if (!arguments.quiet) {
    print_rank(saved.table, arguments.folder, arguments.rank, options);
  }
  return ExitCode::done;
}

}  // namespace

Command add_consensus(CLI::App& program) {
  const auto arguments = std::make_shared<ConsensusArguments>();
  CLI::App* app = program.add_subcommand("consensus", "Cut one rank of a survey anew");
  arguments->app = app;
  app->add_option("DIR", arguments->folder, "The folder of a survey")->required()->type_name("");
  add_number(*app, "--rank", arguments->rank, Range<Index>{.low = 1}, "The rank", "")->required();
  add_cluster_options(*app, arguments->clusters);
  app->add_option(
         "--refit", arguments->refit,
         wrapped("The same samples in other units, counts per million of all genes say: write the spectra "
                 "in them, refit.npy, and how much each feature goes with each component, scores.npy"))
      ->type_name("FILE");
  app->add_option("--input", arguments->input,
                  wrapped("The matrix of the survey, if it is no longer where it was"))
      ->type_name("FILE");
  add_number(*app, "--threads", arguments->threads, Range<int>{.low = 0, .high = 4096},
             "Threads of the computation; the result does not depend on them", "0: every core");
  const std::string group = "What is printed";
  app->add_flag("--quiet", arguments->quiet, wrapped("Print nothing but errors, and what --json asks for"))
      ->group(group);
  app->add_flag("--json", arguments->json,
                wrapped("Print the content of survey.json in the place of the summary"))
      ->group(group);
  app->footer(
      "Examples:\n"
      "  anmf consensus s --rank 9\n"
      "  anmf consensus s --rank 9 --clusters free --density-threshold 0.1\n"
      "  anmf consensus s --rank 9 --refit cpm.h5ad\n"
      "kNN/, the tables and the page are written anew; the next anmf survey --resume cuts the rank as the "
      "survey "
      "does.");
  return {app, [arguments] {
            SurveyArguments survey = survey_of(*arguments);
            return survey.precision == Precision::float32 ? run<float>(*arguments, survey)
                                                          : run<double>(*arguments, survey);
          }};
}

}  // namespace anmf::cli
