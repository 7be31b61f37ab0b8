// SPDX-License-Identifier: MIT
// anmf reproduce: the figures and tables of the paper, and whether what it says about them holds.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "command.h"
#include "command_line.h"
#include "experiments/claims.h"
#include "experiments/half_step.h"
#include "experiments/session.h"
#include "experiments/tables.h"
#include "interrupt.h"
#include "option_helpers.h"

namespace anmf::cli {
namespace {

namespace fs = std::filesystem;

struct ReproduceArguments {
  std::vector<std::string> figures;
  std::optional<std::string> data;
  std::optional<std::string> experiments;
  std::string out;
  bool quick = false;
  std::optional<int> starts;
  std::optional<double> work;
  std::optional<int> jobs;
};

/// "figure-2" before "figure-10".
bool in_order(const Experiment& a, const Experiment& b) {
  return std::pair(a.id.size(), a.id) < std::pair(b.id.size(), b.id);
}

std::vector<Experiment> read_all(const ReproduceArguments& arguments) {
  const Scope scope = arguments.quick ? Scope::quick : Scope::full;
  std::vector<Experiment> experiments;
  if (!arguments.experiments) {
    for (const EmbeddedFile& file : embedded_experiments()) {
      experiments.push_back(parse_experiment(file.text, std::string(file.name), scope));
    }
  } else {
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(*arguments.experiments, error)) {
      if (entry.path().extension() == ".toml") experiments.push_back(read_experiment(entry.path(), scope));
    }
    if (experiments.empty()) {
      throw IoError(
          fmt::format("there is no experiment (.toml) in the folder '{}'.", *arguments.experiments));
    }
  }
  std::sort(experiments.begin(), experiments.end(), in_order);
  for (Experiment& experiment : experiments) {
    experiment.starts = arguments.starts.value_or(experiment.starts);
    if (!arguments.work) continue;
    for (DataGroup& group : experiment.groups) group.limit = {.work = *arguments.work};
    for (Variant& variant : experiment.variants) variant.rho = RhoSource::flops;
  }
  return experiments;
}

/// The experiments that were asked for: "figure-10", or "10" for short; all of them without a word.
std::vector<Experiment> choose(const std::vector<Experiment>& all, const std::vector<std::string>& names) {
  if (names.empty()) return all;
  std::vector<Experiment> chosen;
  for (const std::string& name : names) {
    const auto named = std::find_if(all.begin(), all.end(), [&](const Experiment& experiment) {
      return experiment.id == name || experiment.id == "figure-" + name;
    });
    if (named == all.end()) {
      std::string known;
      for (const Experiment& experiment : all) known += (known.empty() ? "" : ", ") + experiment.id;
      throw Failure(ExitCode::usage, fmt::format("there is no '{}'; choose from {}.", name, known));
    }
    chosen.push_back(*named);
  }
  std::sort(chosen.begin(), chosen.end(), in_order);
  return chosen;
}

/// Where the tables say that a data set can be had.
std::string why_skipped(const std::string& name, const ReproduceArguments& arguments,
                        const std::vector<Experiment>& all) {
  std::string reason = arguments.data ? fmt::format("not in '{}'", *arguments.data) : "no --data was given";
  for (const Experiment& experiment : all) {
    for (const TableRow& row : experiment.table) {
      if (row.data == name && !row.source.empty()) reason += fmt::format("; it is {}", row.source);
    }
  }
  return reason + fmt::format("; put it there as {0}/{0}.npy or {0}/{0}.mtx.gz.", name);
}

/// One experiment and the data for it.
struct PreparedFigure {
  const Experiment* experiment = nullptr;
  std::vector<CaseGroup> groups;
};

FigureResult half_step_figure(const PreparedFigure& plan) {
  const Experiment& experiment = *plan.experiment;
  FigureResult figure{.id = experiment.id, .title = experiment.title, .caption = experiment.caption};
  for (const CaseGroup& group : plan.groups) {
    for (const Case& c : group.cases) {
      const auto loaded = io::load<double>(c.data->path);
      figure.panels.push_back(
          half_step_panel(c, experiment, half_step_curves(*loaded.data, c.rank, experiment)));
    }
  }
  return figure;
}

ExitCode run(const ReproduceArguments& arguments) {
  const std::vector<Experiment> all = in_phase(ExitCode::input, [&] { return read_all(arguments); });
  const std::vector<Experiment> chosen = choose(all, arguments.figures);
  DataLibrary library([&](const std::string& name) -> std::optional<fs::path> {
    return arguments.data ? find_data(*arguments.data, name) : std::nullopt;
  });
  Comparison comparison{.title = "The experiments of Gillis and Glineur (2012)", .command = command_line()};
  std::vector<std::string> absent;
  std::vector<PreparedFigure> plans;
  std::vector<RunSpec> specs;
  for (const Experiment& experiment : chosen) {
    PreparedFigure& plan =
        plans.emplace_back(PreparedFigure{&experiment, resolve(experiment, library, absent)});
    if (experiment.kind != ExperimentKind::traces) continue;
    for (RunSpec& spec : plan_runs(experiment, plan.groups)) specs.push_back(std::move(spec));
  }
  keep_from_here();
  const ComparisonFolder folder(arguments.out);

  const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  const int jobs = arguments.jobs.value_or(arguments.quick ? cores : 1);
  Runs runs;
  const RunTally tally =
      in_phase(ExitCode::output, [&] { return make_runs(specs, folder.store(), jobs, runs); });
  comparison.jobs = tally.jobs;

  std::vector<Experiment> tables;
  for (const PreparedFigure& plan : plans) {
    if (plan.experiment->kind == ExperimentKind::table) {
      tables.push_back(*plan.experiment);
      comparison.tables.push_back(rho_table(*plan.experiment));
      continue;
    }
    FigureResult figure = plan.experiment->kind == ExperimentKind::half_step
                              ? in_phase(ExitCode::input, [&] { return half_step_figure(plan); })
                              : collect(*plan.experiment, plan.groups, runs);
    comparison.figures.push_back(std::move(figure));
  }
  for (const auto& claims :
       {rho_claims(tables), figure_claims(comparison.figures), monotone_claims(comparison.figures)}) {
    comparison.claims.insert(comparison.claims.end(), claims.begin(), claims.end());
  }
  for (const std::string& name : absent) {
    comparison.skipped.push_back({.data = name, .reason = why_skipped(name, arguments, all)});
  }
  folder.write(comparison);
  print_comparison(comparison);
  fmt::print("\n{} runs made, {} were there; look at {}\n", tally.made, tally.kept,
             folder.main_file().string());
  return ExitCode::done;
}

}  // namespace

Command add_reproduce(CLI::App& program) {
  const auto arguments = std::make_shared<ReproduceArguments>();
  CLI::App* app = program.add_subcommand("reproduce", "Draw the paper's figures and check its claims");
  app->add_option(
         "FIGURE", arguments->figures,
         wrapped("What to reproduce: figure-1 ... figure-11 (or 1 ... 11), table-1, table-2 (default: all)"))
      ->type_name("");
  app->add_option(
         "--data", arguments->data,
         wrapped("Folder of the data sets: NAME/NAME.npy or NAME/NAME.mtx.gz. What is absent is named and "
                 "skipped"))
      ->type_name("DIR");
  app->add_option(
         with_short("--out"), arguments->out,
         wrapped("Folder for runs/, comparison.json and report.html; what was ended early goes on there"))
      ->required()
      ->type_name("DIR");
  app->add_flag(
      "--quick", arguments->quick,
      wrapped("Minutes instead of hours: fewer starts, the smaller rank, a limit of work instead of time, "
              "rho counted, every core, and claims judged by flops"));
  add_number(*app, "--starts", arguments->starts, Range<int>{.low = 1, .high = 1'000'000},
             "Random starts of every experiment", "as in the experiment");
  add_number(*app, "--work", arguments->work,
             Range<double>{.low = 1e-9, .high = std::numeric_limits<double>::infinity()},
             "End a run after so much work, in flops of one plain HALS iteration, and judge by flops",
             "as in the experiment");
  add_number(*app, "--jobs", arguments->jobs, Range<int>{.low = 1, .high = 4096},
             "Runs side by side, each with one thread", "1; every core with --quick");
  app->add_option(
         "--experiments", arguments->experiments,
         wrapped("Read the experiments from the .toml files of this folder (default: the paper's, which "
                 "are built in)"))
      ->type_name("DIR");
  app->footer(
      "Examples:\n"
      "  anmf reproduce --quick --data data --out reproduced\n"
      "  anmf reproduce figure-10 table-1 --data data --out faces\n"
      "Ctrl-C, SIGTERM or a crash loses the runs that were under way; the same command goes on from there.");
  return {app, [arguments] { return run(*arguments); }};
}

}  // namespace anmf::cli
