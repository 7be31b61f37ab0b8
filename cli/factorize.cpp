// SPDX-License-Identifier: MIT
// anmf factorize: a matrix in a file -> W, H, the trace and a description of the run in a folder.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "anmf/factorize.h"
#include "anmf/io.h"
#include "command.h"
#include "engine_options.h"
#include "entries.h"
#include "estimate.h"
#include "interrupt.h"
#include "option_helpers.h"
#include "output_folder.h"
#include "precision.h"
#include "progress.h"
#include "report.h"
#include "report_labels.h"
#include "run_folder.h"

namespace anmf::cli {
namespace {

struct FactorizeArguments {
  std::string input;
  std::string out;
  std::optional<std::string> init_w;
  std::optional<std::string> init_h;
  Precision precision = Precision::float64;
  Options options;
  ReportArguments report;
  bool transpose = false;
  bool dry_run = false;
  bool quiet = false;
  bool json = false;
};

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
  const std::string name = std::filesystem::path(arguments.input).filename().string();
  const Index rank = arguments.options.rank;
  return fmt::format("{}: {} component{}", name.substr(0, name.find('.')), rank, rank == 1 ? "" : "s");
}

template <class T>
io::LoadedMatrix<T> read_input(const FactorizeArguments& arguments) {
  return in_phase(ExitCode::input, [&] {
    auto loaded = io::load<T>(arguments.input);
    if (arguments.transpose) transpose(loaded);
    return loaded;
  });
}

/// Of M as it is factorized. They are found by the sizes in the file, which the user knows.
template <class T>
ReportLabels read_labels(const FactorizeArguments& arguments, const io::LoadedMatrix<T>& loaded) {
  return in_phase(ExitCode::input, [&] {
    ReportArguments report = arguments.report;
    if (!report.image_shape && loaded.image_height > 0) {
      report.image_shape = ImageShape{loaded.image_height, loaded.image_width};
    }
    const Data<T>& M = *loaded.data;
    const Index file_rows = arguments.transpose ? M.cols() : M.rows();
    const Index file_cols = arguments.transpose ? M.rows() : M.cols();
    ReportLabels labels = find_labels(report, arguments.input, file_rows, file_cols);
    if (arguments.transpose) transpose(labels);
    return labels;
  });
}

/// Says what a run would need. Writes nothing and does not look at the folder.
template <class T>
ExitCode dry_run(const FactorizeArguments& arguments) {
  const auto loaded = read_input<T>(arguments);
  const InputSummary input = summarize(arguments.input, *loaded.data);
  const RunEstimate estimate = estimate_run(loaded, arguments.options);
  if (arguments.json) {
    fmt::print("{}", json_text(describe_estimate(input, kPrecision<T>, arguments.options, estimate)));
  } else if (!arguments.quiet) {
    print_estimate(input, kPrecision<T>, arguments.options, estimate);
  }
  return ExitCode::done;
}

template <class T>
ExitCode run(const FactorizeArguments& arguments) {
  if (arguments.transpose && arguments.options.init == Init::spa) {
    throw Failure(ExitCode::usage, "--init spa does not go with --transpose; choose another --init.");
  }
  if (arguments.dry_run) return dry_run<T>(arguments);
  const bool with_report = has_report_page() && !arguments.report.no_report;
  std::vector<std::string_view> files(kRunFiles.begin(), kRunFiles.end());
  if (with_report) files.push_back(kReportFile);
  OutputFolder folder(arguments.out, files);
  const auto loaded = read_input<T>(arguments);
  const auto start = in_phase(ExitCode::input, [&] { return read_start<T>(arguments); });
  const InputSummary input = summarize(arguments.input, *loaded.data);
  const ReportLabels labels = read_labels(arguments, loaded);

  const InterruptGuard interrupt;  // from here on there is something worth keeping
  const Result<T> result = in_phase(ExitCode::usage, [&] {
    RunObserver<T> observer(arguments.options, !arguments.quiet);
    return factorize(*loaded.data, arguments.options, start, &observer);
  });
  auto description = describe_run(input, arguments.options, result);
  description["transpose"] = arguments.transpose;
  in_phase(ExitCode::output, [&] {
    if (with_report) {
      stage_report(folder, title(arguments), description, result, labels);
    } else {
      folder.replace_by_nothing(kReportFile);
    }
    stage_run(folder, description, result);
    folder.publish();
  });

  if (!arguments.quiet) print_notes(result.notes);
  if (arguments.json) {
    fmt::print("{}", json_text(description));
  } else if (!arguments.quiet) {
    print_summary(input, arguments.options, result, folder.path(), files);
  }
  return result.status == Status::stopped_by_observer ? ExitCode::interrupted : ExitCode::done;
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

}  // namespace

Command add_factorize(CLI::App& program) {
  const auto arguments = std::make_shared<FactorizeArguments>();
  CLI::App* app = program.add_subcommand("factorize", "Factorize the matrix in a file");
  app->add_option("INPUT", arguments->input, "The matrix M in a file of a known format, no entry negative")
      ->required()
      ->type_name("");
  app->add_option(
         "--out", arguments->out,
         wrapped("Folder for W.npy, H.npy, trace.csv, run.json and report.html; made if it does not exist"))
      ->required()
      ->type_name("DIR");
  app->add_flag("--transpose", arguments->transpose,
                wrapped("Factorize the transpose: W has a row for each column of the file, H a column for "
                        "each of its rows"));
  add_engine_options(*app, arguments->options);
  app->add_option("--init-w", arguments->init_w,
                  wrapped("Start from this W, rows x rank, no entry negative (default: made as --init says)"))
      ->type_name("F.npy");
  app->add_option(
         "--init-h", arguments->init_h,
         wrapped("Start from this H, rank x columns, no entry negative (default: made as --init says)"))
      ->type_name("F.npy");
  add_precision(*app, arguments->precision);
  add_report_options(*app, arguments->report);
  add_printing(*app, *arguments);
  app->footer(
      "Examples:\n"
      "  anmf factorize faces.npy --rank 49 --out faces\n"
      "  anmf factorize words.mtx.gz --rank 20 --method a-mu --time-limit 60 --out topics\n"
      "  anmf factorize cells.h5ad --transpose --rank 30 --dry-run --out programs\n"
      "Ctrl-C stops after the current iteration and writes the result so far.");
  return {app, [arguments] {
            return arguments->precision == Precision::float32 ? run<float>(*arguments)
                                                              : run<double>(*arguments);
          }};
}

}  // namespace anmf::cli
