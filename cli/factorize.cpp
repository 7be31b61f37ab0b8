// SPDX-License-Identifier: MIT
// anmf factorize: a matrix in a file -> W, H, the trace and a description of the run in a folder.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "anmf/factorize.h"
#include "anmf/io.h"
#include "anmf/version.h"
#include "bytes.h"
#include "checkpoints.h"
#include "circumstances.h"
#include "command.h"
#include "engine_options.h"
#include "entries.h"
#include "estimate.h"
#include "input.h"
#include "interrupt.h"
#include "judgement.h"
#include "named_factors.h"
#include "open_input.h"
#include "option_helpers.h"
#include "output_folder.h"
#include "precision.h"
#include "prepare.h"
#include "progress.h"
#include "report.h"
#include "report_labels.h"
#include "run_folder.h"
#include "settings.h"
#include "streaming.h"
#include "team.h"

namespace anmf::cli {
namespace {

struct FactorizeArguments {
  InputArguments input;
  std::string out;
  std::optional<std::string> init_w;
  std::optional<std::string> init_h;
  Precision precision = Precision::float64;
  std::optional<double> memory;  ///< bytes
  Options options;
  ReportArguments report;
  CheckpointArguments checkpoints;
  std::string settings;  ///< all of them as TOML, for the checkpoint
  bool dry_run = false;
  bool quiet = false;
  bool json = false;
};

MemoryBudget memory_budget(const FactorizeArguments& arguments) {
  return {.limit = arguments.memory,
          .extras = {.W_given = arguments.init_w.has_value(),
                     .H_given = arguments.init_h.has_value(),
                     .checkpoints = arguments.checkpoints.every || arguments.checkpoints.resume,
                     .reports = has_report_page() && !arguments.report.no_report,
                     .judged = true}};
}

/// A bad entry is reported with its file and as an error of the input. Whether the shape fits is for the
/// engine to say.
template <class T>
Start<T> read_start(const FactorizeArguments& arguments) {
  Start<T> start;
  if (arguments.init_w) start.W = io::load_dense<T>(*arguments.init_w);
  if (arguments.init_h) start.H = io::load_dense<T>(*arguments.init_h);
  return start;
}

/// "faces.npy" -> "faces: 49 components".
std::string title(const FactorizeArguments& arguments) {
  const std::string name = std::filesystem::path(arguments.input.file).filename().string();
  const Index rank = arguments.options.rank;
  return fmt::format("{}: {} component{}", name.substr(0, name.find('.')), rank, rank == 1 ? "" : "s");
}

template <class T>
NamedFactors<T> named_factors(const FactorizeArguments& arguments, const io::MatrixFile& file,
                              const Input<T>& input, const Result<T>& result) {
  NamedFactors<T> named = {.W = result.W,
                           .H = result.H,
                           .labels = input.labels,
                           .top = arguments.report.top,
                           .anndata = input.matrix.anndata,
                           .source = file.location().file,
                           .transposed = arguments.input.transpose};
  named.about = {{"method", std::string(result.effective.method)},
                 {"loss", loss_name(result.effective.beta)},
                 {"rank", arguments.options.rank},
                 {"error", result.error},
                 {"relative_error", result.relative_error},
                 {"iterations", result.iterations},
                 {"scale", result.scale},
                 {"version", std::string(kVersion)}};
  return named;
}

/// A matrix that would be streamed is not read at all.
template <class T>
ExitCode dry_run_streamed(const FactorizeArguments& arguments, const PlannedRun& run,
                          const StreamPlan& plan) {
  const InputSummary summary = {arguments.input.file, run.rows, run.cols, run.nonzeros,
                                plan.sparse ? Storage::sparse : Storage::dense};
  RunEstimate estimate = estimate_run<T>(run, 0, {});
  estimate.peak_bytes = plan.peak_bytes;
  if (arguments.json) {
    auto json = describe_estimate(summary, kPrecision<T>, arguments.options, estimate);
    json["stream"] = {
        {"blocks", plan.blocks}, {"block_bytes", plan.block_bytes}, {"bytes_per_pass", plan.pass_bytes}};
    fmt::print("{}", json_text(json));
  } else if (!arguments.quiet) {
    print_estimate(summary, kPrecision<T>, arguments.options, estimate);
    fmt::print("streamed        {} blocks of at most {} in memory, {} read in every pass\n", plan.blocks,
               format_bytes(plan.block_bytes), format_bytes(plan.pass_bytes));
  }
  return ExitCode::done;
}

/// Says what a run would need. Writes nothing and does not look at the folder.
template <class T>
ExitCode dry_run(const FactorizeArguments& arguments) {
  const io::MatrixFile file = open_file(arguments.input.file, arguments.input);
  const MemoryBudget memory = memory_budget(arguments);
  const InputRequest request = {file, arguments.input, arguments.report, arguments.options, memory};
  InputPlan plan = plan_input<T>(request);
  if (plan.stream) return dry_run_streamed<T>(arguments, plan.run, *plan.stream);
  const Input<T> input = open_input<T>(request, std::move(plan));
  InputSummary summary = summarize(arguments.input.file, *input.matrix.data);
  summary.entry_type = entry_type(input.matrix);
  const RunEstimate estimate = estimate_run(input, memory.extras);
  if (arguments.json) {
    fmt::print("{}", json_text(describe_estimate(summary, kPrecision<T>, arguments.options, estimate)));
  } else if (!arguments.quiet) {
    print_estimate(summary, kPrecision<T>, arguments.options, estimate);
  }
  return ExitCode::done;
}

/// `folder` is that of the process that leads, and null in the others.
template <class T>
Result<T> compute(const FactorizeArguments& arguments, Team<T>& team, const io::MatrixFile& file,
                  const Input<T>& input, const Start<T>& start, OutputFolder* folder) {
  const Options& options = arguments.options;
  const Data<T>& M = *input.matrix.data;
  std::function<std::string()> passes;
  if (const StreamedData<T>* const stream = input.stream) {
    passes = [stream] {
      const StreamStatistics statistics = stream->statistics();
      return fmt::format("pass {}, {} read", statistics.passes, format_bytes(statistics.bytes));
    };
  }
  std::optional<CheckpointWriter> writer;
  if (arguments.checkpoints.every) {
    std::optional<std::filesystem::path> path;
    if (folder != nullptr) path = folder->path() / kCheckpointFile;
    writer.emplace(std::move(path), *arguments.checkpoints.every, arguments.settings, options);
  } else if (folder != nullptr) {
    folder->replace_by_nothing(kCheckpointFile);
  }
  CheckpointWriter* const checkpoints = writer ? &*writer : nullptr;
  const auto memory = [&] {
    const std::string what = fmt::format("the factors ({} x {} and {} x {}) and what goes with them",
                                         M.rows(), options.rank, options.rank, M.cols());
    return memory_advice<T>(what, file, arguments.memory ? OnDisk::no : OnDisk::possible,
                            {"a smaller --rank"});
  };
  const bool with_line = !arguments.quiet && team.leads();
  if (!arguments.checkpoints.resume) {
    return in_phase(
        ExitCode::usage,
        [&] {
          RunObserver<T> observer(options, with_line, checkpoints, {}, passes);
          return team.factorize(M, options, start, observer);
        },
        memory);
  }
  Checkpoint<T> checkpoint;
  team.together([&] {
    checkpoint = in_phase(ExitCode::input, [&] { return read_checkpoint<T>(*arguments.checkpoints.resume); });
  });
  in_phase(ExitCode::input, [&] {
    team.agree_on_files({(std::filesystem::path(*arguments.checkpoints.resume) / kCheckpointFile).string()});
  });
  return in_phase(
      ExitCode::usage,
      [&] {
        RunObserver<T> observer(options, with_line, checkpoints, checkpoint.trace.back(), passes);
        return team.resume(M, options, std::move(checkpoint), observer);
      },
      memory);
}

/// Weights of single entries need the matrix in the memory of one process, those of lines its lines.
void expect_weights_go(const FactorizeArguments& arguments, bool alone) {
  const WeightArguments& weighing = arguments.input.weighing;
  if (!alone && (weighing.of_entries() || arguments.options.heldout > 0)) {
    throw Failure(
        ExitCode::usage,
        "--missing, --weights and --heldout do not go with several processes: they need all of the "
        "matrix in one. anmf factorize takes them; --row-weights and --column-weights go here, too.");
  }
  if (!alone && weighing.any() && (arguments.input.rows || arguments.input.columns)) {
    throw Failure(
        ExitCode::usage,
        "--row-weights and --column-weights do not go with --rows and --columns in several processes. "
        "anmf convert --rows writes a file of the rows that are wanted.");
  }
  if (arguments.input.negative == io::Negative::allow && (arguments.memory || !alone)) {
    throw Failure(
        ExitCode::usage,
        fmt::format("--negative allow does not go with {}: a matrix with negative entries must be in "
                    "the memory of one process.",
                    arguments.memory ? "--memory" : "several processes"));
  }
  if (!arguments.memory) return;
  const bool entries = weighing.weights || weighing.mask();
  if (!entries) return;
  throw Failure(
      ExitCode::usage,
      fmt::format("{} does not go with --memory: it needs all of the matrix in memory. --row-weights, "
                  "--column-weights and --missing nan or zeros do.",
                  weighing.weights ? "--weights" : "--missing " + weighing.missing));
}

template <class T>
ExitCode run(const FactorizeArguments& arguments, Team<T>& team) {
  if (arguments.checkpoints.resume && (arguments.init_w || arguments.init_h)) {
    throw Failure(ExitCode::usage,
                  "--init-w and --init-h do not go with --resume: the run has begun already.");
  }
  check_weighing(arguments.input, !arguments.input.prepare.empty());
  expect_weights_go(arguments, team.prepares());
  if (!arguments.input.prepare.empty() && (arguments.memory || !team.prepares())) {
    throw Failure(
        ExitCode::usage,
        fmt::format("--prepare does not go with {}: it needs all of the matrix in the memory of one "
                    "process. anmf convert --prepare writes a file that is prepared.",
                    arguments.memory ? "--memory" : "several processes"));
  }
  if (arguments.dry_run) return team.leads() ? dry_run<T>(arguments) : ExitCode::done;
  const bool with_report = has_report_page() && !arguments.report.no_report;
  std::vector<std::string_view> files(kRunFiles.begin(), kRunFiles.end());
  std::vector<std::string_view> all_files = files;
  if (with_report) all_files.push_back(kReportFile);
  if (arguments.checkpoints.every) all_files.push_back(kCheckpointFile);
  all_files.insert(all_files.end(), kNamedFiles.begin(), kNamedFiles.end());
  all_files.push_back(kPrepareFile);
  std::optional<OutputFolder> output;
  team.together([&] {
    if (team.leads()) output.emplace(arguments.out, all_files);
  });
  std::unique_ptr<io::MatrixFile> file;
  team.together(
      [&] { file = std::make_unique<io::MatrixFile>(open_file(arguments.input.file, arguments.input)); });
  const MemoryBudget memory = memory_budget(arguments);
  const Input<T> input = team.read({*file, arguments.input, arguments.report, arguments.options, memory});
  Start<T> start;
  team.together([&] { start = in_phase(ExitCode::input, [&] { return read_start<T>(arguments); }); });
  std::vector<std::string> given_files;
  for (const auto& given : {arguments.init_w, arguments.init_h}) {
    if (given) given_files.push_back(*given);
  }
  for (const std::string& weights : arguments.input.weighing.files()) given_files.push_back(weights);
  in_phase(ExitCode::input, [&] { team.agree_on_files(given_files); });
  InputSummary summary = summarize(arguments.input.file, *input.matrix.data);
  if (knows_entry_type(input.matrix)) summary.entry_type = entry_type(input.matrix);
  const nlohmann::ordered_json input_file =
      team.leads() ? describe_input_file(file->location().file) : nlohmann::ordered_json();
  const double factor_entries =
      static_cast<double>(summary.rows + summary.cols) * static_cast<double>(arguments.options.rank);
  // A checkpoint holds up to three pairs of factors, and the older one stays until it is whole.
  team.together([&] {
    if (output) output->expect_room(factor_entries * sizeof(T) * (arguments.checkpoints.every ? 7 : 1));
  });

  Result<T> result = compute(arguments, team, *file, input, start, output ? &*output : nullptr);
  keep_from_here();
  const ExitCode code = result.status == Status::stopped_by_observer ? interrupt_code() : ExitCode::done;
  if (!output) return code;
  OutputFolder& folder = *output;
  const std::vector<std::string> weighing = notes_on_weighing(input, result.heldout_entries);
  result.notes.insert(result.notes.begin(), weighing.begin(), weighing.end());
  result.notes.insert(result.notes.begin(), input.notes.begin(), input.notes.end());
  if (auto note = input.plan ? note_on_order(*input.matrix.data, input.run) : std::nullopt)
    result.notes.push_back(std::move(*note));
  auto description = describe_run(summary, arguments.options, result);
  description["transpose"] = arguments.input.transpose;
  describe_weighing(description, arguments.input.weighing, *input.matrix.data);
  description["input_file"] = input_file;
  describe_bound(description, input, result, !arguments.report.no_bound && !arguments.memory);
  description["prepare"] = list_of(input.preparation);
  if (input.plan) description["stream"] = describe_stream(input.stream->statistics(), *input.plan);
  team.describe(description);
  describe_circumstances(description);
  in_phase(ExitCode::output, [&] {
    stage_run(folder, result);  // what matters first: there may be no room for the rest
    if (input.preparation.empty()) {
      folder.replace_by_nothing(kPrepareFile);
    } else {
      write_preparation(folder.staged(kPrepareFile), input.preparation);
      files.push_back(kPrepareFile);
    }
    if (!with_report) folder.replace_by_nothing(kReportFile);
    if (with_report) {
      const ReportLabels labels = for_report(input.labels);
      const auto fit = judge_fit(input, result, labels);
      if (stage_report(folder, title(arguments), description, result, labels, fit))
        files.push_back(kReportFile);
    }
    if (arguments.checkpoints.every) files.push_back(kCheckpointFile);
    const auto named = stage_named_factors(folder, named_factors(arguments, *file, input, result));
    files.insert(files.end(), named.begin(), named.end());
    folder.publish(description);
  });

  if (!arguments.quiet) print_notes(result.notes);
  if (arguments.json) {
    fmt::print("{}", json_text(description));
  } else if (!arguments.quiet) {
    print_summary(summary, arguments.options, result, folder.path(), files);
    if (input.plan) fmt::print("streamed        {}\n", summarize_stream(description["stream"]));
    if (arguments.checkpoints.every && result.status != Status::converged) {
      fmt::print("go on with      anmf factorize --resume {}\n", folder.path().string());
    }
  }
  folder.expect_complete();
  return code;
}

void add_printing(CLI::App& app, FactorizeArguments& arguments) {
  const std::string group = "What is printed";
  app.add_flag("--quiet", arguments.quiet, wrapped("Print nothing but errors, and what --json asks for"))
      ->group(group);
  app.add_flag("--json", arguments.json,
               wrapped("Print one JSON object, the content of run.json, in the place of the summary"))
      ->group(group);
  app.add_flag("--dry-run", arguments.dry_run,
               wrapped("Only read the input and print what the run would need: flops of an outer iteration "
                       "and memory; --out is left alone"))
      ->group(group);
}

/// What a run needs to go on in another process, from another folder: without the start, which is past, and
/// without what is printed.
std::string checkpoint_settings(const CLI::App& app) {
  constexpr std::array<std::string_view, 6> kLeftOut = {"out",   "init-w", "init-h",
                                                        "quiet", "json",   "dry-run"};
  constexpr std::array<std::string_view, 6> kPaths = {"input",   "feature-names", "missing",
                                                      "weights", "row-weights",   "column-weights"};
  return settings_text(app, kLeftOut, kPaths);
}

}  // namespace

Command add_factorize(CLI::App& program) { return add_factorize(program, Teams{}); }

Command add_factorize(CLI::App& program, const Teams& teams) {
  const auto arguments = std::make_shared<FactorizeArguments>();
  CLI::App* app = program.add_subcommand("factorize", "Factorize the matrix in a file");
  add_input_options(*app, arguments->input);
  app->add_option(with_short("--out"), arguments->out,
                  wrapped("Folder for W.npy, H.npy, trace.csv, run.json and report.html, and W.tsv, H.tsv "
                          "and top.tsv where names are known; made if it does not exist"))
      ->required()
      ->type_name("DIR");
  add_prepare(
      *app, [arguments](Preparation steps) { arguments->input.prepare = std::move(steps); },
      "Do this to the entries first, in this order: log1p, sqrt, tfidf, total=SUM, unit-variance, max=X, "
      "top-variance=N, with commas between them; rows are samples, columns are features (default none)");
  add_engine_options(*app, arguments->options);
  app->add_option("--init-w", arguments->init_w,
                  wrapped("Start from this W, rows x rank, no entry negative (default: made as --init says)"))
      ->type_name("F.npy");
  app->add_option(
         "--init-h", arguments->init_h,
         wrapped("Start from this H, rank x columns, no entry negative (default: made as --init says)"))
      ->type_name("F.npy");
  add_precision(*app, arguments->precision);
  add_memory(*app, arguments->memory);
  add_report_options(*app, arguments->report);
  add_printing(*app, *arguments);
  add_checkpoint_options(*app, arguments->checkpoints);
  add_config(*app);
  app->footer(
      "Examples:\n"
      "  anmf factorize faces.npy --rank 49 --out faces\n"
      "  anmf factorize words.mtx.gz --rank 20 --method a-mu --time-limit 60 --out topics\n"
      "  anmf factorize cells.h5ad --transpose --rank 30 --dry-run --out programs\n"
      "  anmf factorize movie.npy --rank 50 --memory 2G --out parts\n"
      "  anmf factorize words.mtx.gz --rank 20 --out topics --checkpoint-every 60\n"
      "  anmf factorize --resume topics\n"
      "Ctrl-C, SIGTERM and SIGUSR1 stop after the current iteration; the result so far is written.");
  return {app, [arguments, app, teams] {
            arguments->settings = checkpoint_settings(*app);
            return arguments->precision == Precision::float32 ? run<float>(*arguments, teams.of<float>())
                                                              : run<double>(*arguments, teams.of<double>());
          }};
}

}  // namespace anmf::cli
