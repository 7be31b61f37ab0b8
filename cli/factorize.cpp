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
ExitCode run(const FactorizeArguments& arguments) {
  const bool with_report = has_report_page() && !arguments.report.no_report;
  std::vector<std::string_view> files(kRunFiles.begin(), kRunFiles.end());
  if (with_report) files.push_back(kReportFile);
  OutputFolder folder(arguments.out, files);
  const auto loaded = in_phase(ExitCode::input, [&] { return io::load<T>(arguments.input); });
  const auto start = in_phase(ExitCode::input, [&] { return read_start<T>(arguments); });
  const InputSummary input = summarize(arguments.input, *loaded.data);
  const ReportLabels labels = in_phase(ExitCode::input, [&] {
    ReportArguments report = arguments.report;
    if (!report.image_shape && loaded.image_height > 0) {
      report.image_shape = ImageShape{loaded.image_height, loaded.image_width};
    }
    return find_labels(report, arguments.input, input.rows, input.cols);
  });

  const InterruptGuard interrupt;  // from here on there is something worth keeping
  const Result<T> result = in_phase(ExitCode::usage, [&] {
    RunObserver<T> observer(arguments.options);
    return factorize(*loaded.data, arguments.options, start, &observer);
  });
  in_phase(ExitCode::output, [&] {
    const auto description = describe_run(input, arguments.options, result);
    if (with_report) {
      stage_report(folder, title(arguments), description, result, labels);
    } else {
      folder.replace_by_nothing(kReportFile);
    }
    stage_run(folder, description, result);
    folder.publish();
  });

  print_notes(result.notes);
  print_summary(input, arguments.options, result, folder.path(), files);
  return result.status == Status::stopped_by_observer ? ExitCode::interrupted : ExitCode::done;
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
  app->footer(
      "Examples:\n"
      "  anmf factorize faces.npy --rank 49 --out faces\n"
      "  anmf factorize words.mtx.gz --rank 20 --method a-mu --time-limit 60 --out topics\n"
      "Ctrl-C stops after the current iteration and writes the result so far.");
  return {app, [arguments] {
            return arguments->precision == Precision::float32 ? run<float>(*arguments)
                                                              : run<double>(*arguments);
          }};
}

}  // namespace anmf::cli
