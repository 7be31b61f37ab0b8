// SPDX-License-Identifier: MIT
// anmf compare: several methods from the same starts on one or more matrices.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "command.h"
#include "command_line.h"
#include "engine_options.h"
#include "experiments/session.h"
#include "interrupt.h"
#include "option_helpers.h"

namespace anmf::cli {
namespace {

namespace fs = std::filesystem;

constexpr double kSmallestLimit = 1e-9;
constexpr int kDefaultStarts = 10;
constexpr double kDefaultSeconds = 10;

struct CompareArguments {
  std::vector<std::string> inputs;
  std::string data = ".";
  std::string out;
  std::vector<Index> ranks;
  std::vector<Variant> variants;
  std::optional<std::string> loss;
  std::optional<int> starts;
  std::optional<std::uint64_t> seed;
  std::optional<double> seconds;
  std::optional<double> work;
  int jobs = 1;
};

bool is_config(const CompareArguments& arguments) { return arguments.inputs.front().ends_with(".toml"); }

void usage(bool right, const char* sentence) {
  if (!right) throw Failure(ExitCode::usage, sentence);
}

Experiment from_config(const CompareArguments& arguments) {
  usage(arguments.inputs.size() == 1, "give either one experiment file or matrices, not both.");
  usage(arguments.ranks.empty() && arguments.variants.empty(),
        "--rank and --methods do not go with an experiment file, which names its own.");
  return in_phase(ExitCode::input, [&] { return read_experiment(arguments.inputs.front(), Scope::full); });
}

Experiment from_options(const CompareArguments& arguments) {
  usage(!arguments.ranks.empty(), "--rank is required unless an experiment file is given.");
  Experiment experiment{.id = "comparison", .title = "Methods from the same starts"};
  experiment.starts = kDefaultStarts;
  DataGroup group{.data = arguments.inputs, .ranks = arguments.ranks};
  if (!arguments.seconds && !arguments.work) group.limit.seconds = kDefaultSeconds;
  experiment.groups.push_back(group);
  experiment.variants = arguments.variants;
  if (!experiment.variants.empty()) return experiment;
  const double beta = beta_of(arguments.loss.value_or(experiment.loss));
  if (beta == 2) {
    for (const char* method : {"a-hals", "hals", "a-mu", "mu", "a-pg", "pg", "anls", "e-a-hals"}) {
      experiment.variants.push_back(parse_variant(method));
    }
  } else {
    for (const Method& method : methods()) {
      if (minimises(method, beta)) experiment.variants.push_back(parse_variant(method.name));
    }
  }
  return experiment;
}

/// What is said on the command line counts more than what the file says.
void override_by(const CompareArguments& arguments, Experiment& experiment) {
  experiment.starts = arguments.starts.value_or(experiment.starts);
  experiment.seed = arguments.seed.value_or(experiment.seed);
  in_phase(ExitCode::usage, [&] { set_loss(experiment, arguments.loss.value_or(experiment.loss)); });
  if (!arguments.seconds && !arguments.work) return;
  for (DataGroup& group : experiment.groups) {
    group.limit = {.seconds = arguments.seconds.value_or(kInfinity),
                   .work = arguments.work.value_or(kInfinity)};
  }
}

ExitCode run(const CompareArguments& arguments) {
  const bool config = is_config(arguments);
  Experiment experiment = config ? from_config(arguments) : from_options(arguments);
  override_by(arguments, experiment);
  if (experiment.kind != ExperimentKind::traces) {
    throw Failure(ExitCode::usage, fmt::format("{} is no comparison of methods; anmf reproduce --experiments "
                                               "draws it.",
                                               experiment.id));
  }
  DataLibrary library([&](const std::string& name) -> std::optional<fs::path> {
    if (config) return find_data(arguments.data, name);
    return name;  // whether it is there, reading it will tell
  });
  std::vector<std::string> absent;
  const std::vector<CaseGroup> groups = resolve(experiment, library, absent);
  if (!absent.empty()) {
    throw Failure(
        ExitCode::input,
        fmt::format("there is no '{0}' in '{1}'; looked for {0}/{0} and {0} with .npy, .mtx.gz and .mtx "
                    "appended. --data names the folder.",
                    absent.front(), arguments.data));
  }
  keep_from_here();
  const ComparisonFolder folder(arguments.out);

  Runs runs;
  const RunTally tally = in_phase(ExitCode::output, [&] {
    return make_runs(plan_runs(experiment, groups), folder.store(), arguments.jobs, runs);
  });
  Comparison comparison{.title = experiment.title, .command = command_line()};
  comparison.jobs = tally.jobs;
  comparison.figures.push_back(collect(experiment, groups, runs));
  folder.write(comparison);
  print_comparison(comparison);
  fmt::print("\n{} runs made, {} were there; look at {}\n", tally.made, tally.kept,
             folder.main_file().string());
  return ExitCode::done;
}

}  // namespace

Command add_compare(CLI::App& program) {
  const auto arguments = std::make_shared<CompareArguments>();
  CLI::App* app = program.add_subcommand("compare", "Compare methods from the same starts");
  app->add_option("INPUT", arguments->inputs,
                  wrapped("Matrices (.npy, .mtx, .mtx.gz), or one experiment file (.toml)"))
      ->required()
      ->type_name("");
  app->add_option(with_short("--out"), arguments->out,
                  wrapped("Folder for runs/, comparison.json and report.html; a comparison that was ended "
                          "early goes on there"))
      ->required()
      ->type_name("DIR");
  app->add_option("--data", arguments->data,
                  wrapped("Folder of the data sets that an experiment file names (default: here)"))
      ->type_name("DIR");
  add_list(
      *app, "--rank",
      [arguments](const std::string& word) {
        arguments->ranks.push_back(parse_number<Index>("--rank", word, Range<Index>{.low = 1}));
      },
      "Number of components, or several with commas between them", "R,...");
  add_list(
      *app, "--methods",
      [arguments](const std::string& word) {
        try {
          arguments->variants.push_back(parse_variant(word));
        } catch (const InvalidInput& error) {
          throw CLI::ValidationError("--methods", error.what());
        }
      },
      "Methods with commas between them, each with its parameters if they are not the usual ones: "
      "hals:alpha=0.5:inner_stop=fixed (default: the paper's seven and e-a-hals, or all that can minimise "
      "the "
      "loss)",
      "NAME,...");
  add_loss(
      *app, [arguments](const std::string& loss) { arguments->loss = loss; },
      wrapped(
          "The loss that all methods minimise, as for factorize (default: frobenius, or what the experiment "
          "file says)"));
  add_number(*app, "--starts", arguments->starts, Range<int>{.low = 1, .high = 1'000'000},
             "Random starts; all methods begin from the same", fmt::to_string(kDefaultStarts));
  add_number(*app, "--seed", arguments->seed, Range<std::uint64_t>{},
             "Seed of the first start; the next one has "
             "the next seed",
             "0");
  add_number(*app, "--seconds", arguments->seconds, Range<double>{.low = kSmallestLimit, .high = kInfinity},
             "End a run after so many seconds of solver time", "10 if --work is not given");
  add_number(*app, "--work", arguments->work, Range<double>{.low = kSmallestLimit, .high = kInfinity},
             "End a run after so much work, in flops of one plain HALS iteration: the same on every machine",
             "none");
  add_number(*app, "--jobs", arguments->jobs, Range<int>{.low = 1, .high = 4096},
             "Runs side by side, each with one thread; seconds are worth most with 1", "1");
  app->footer(
      "Examples:\n"
      "  anmf compare faces.npy --rank 30 --methods a-hals,hals,mu --starts 5 --seconds 2 --out "
      "faces-compared\n"
      "  anmf compare words.mtx --rank 20 --loss kl --methods e-ccd,e-a-mu,mu --out words-compared\n"
      "  anmf compare mine.toml --data folder --out mine\n"
      "Ctrl-C, SIGTERM or a crash loses the runs that were under way; the same command goes on from there.");
  return {app, [arguments] { return run(*arguments); }};
}

}  // namespace anmf::cli
