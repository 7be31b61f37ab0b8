// SPDX-License-Identifier: MIT
// anmf transform: new rows M (m x n) and the H (r x n) of a fit -> the W (m x r) >= 0 that fits M best, in
// the loss of the fit.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "anmf/io.h"
#include "anmf/nnls.h"
#include "anmf/options.h"
#include "anmf/version.h"
#include "circumstances.h"
#include "command.h"
#include "engine_options.h"
#include "entries.h"
#include "input.h"
#include "interrupt.h"
#include "named_factors.h"
#include "option_helpers.h"
#include "output_folder.h"
#include "precision.h"
#include "prepare.h"
#include "report.h"
#include "run_folder.h"

namespace anmf::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 2> kTransformFiles = {"W.npy", "run.json"};

struct TransformArguments {
  InputArguments input;
  std::string components;  ///< a folder or a file
  std::string run;         ///< a folder, in the place of components
  std::optional<std::string> loss;
  std::string out;
  std::optional<Preparation> prepare;
  Precision precision = Precision::float64;
  FitOptions options;
  bool quiet = false;
  bool json = false;
};

/// W.npy beside an H.npy belongs to it, and cannot be had back once it is replaced.
void spare_a_fit(const std::filesystem::path& out) {
  std::error_code ignored;
  if (!std::filesystem::exists(out / "H.npy", ignored)) return;
  throw Failure(ExitCode::output,
                fmt::format("the folder '{}' holds a fit (H.npy), whose W.npy and run.json would be "
                            "replaced; choose another --out.",
                            out.string()));
}

template <class T>
void check_sizes(const TransformArguments& arguments, const Data<T>& data, const Matrix<T>& H) {
  if (H.cols() == data.cols()) return;
  throw Failure(
      ExitCode::input,
      fmt::format("'{}' is {} x {}, but '{}' is {} x {}: --components needs one column for each "
                  "column of the input.",
                  arguments.components, H.rows(), H.cols(), arguments.input.file, data.rows(), data.cols()));
}

/// The fit needs H H'. A component whose square is infinite or 0 would count as none, without a warning.
template <class T>
void check_range(const TransformArguments& arguments, const Matrix<T>& H) {
  for (Index p = 0; p < H.rows(); ++p) {
    const T* const row = H.view().row(p);
    const auto largest = static_cast<double>(*std::max_element(row, row + H.cols()));
    const double low = largest * largest;
    const double high = low * static_cast<double>(H.cols());
    const bool in_range = low >= static_cast<double>(std::numeric_limits<T>::min()) &&
                          high <= static_cast<double>(std::numeric_limits<T>::max());
    if (largest == 0 || in_range) continue;
    throw Failure(ExitCode::numerical,
                  fmt::format("row {} of '{}' (counted from 0) has the largest entry {}, whose square leaves "
                              "the range of {}; scale the components, for instance to norm 1.",
                              p, arguments.components, largest, kPrecision<T>));
  }
}

/// What is done to the new rows: the same as to those of the run, unless they are prepared already.
Preparation chosen_preparation(const TransformArguments& arguments) {
  Preparation of_run = preparation_of_run(arguments.components);
  if (!arguments.prepare) return of_run;
  const Preparation& typed = *arguments.prepare;
  if (typed.empty() || (of_run.empty() && !typed.learns())) return typed;
  if (typed.text() == of_run.text()) return of_run;
  throw Failure(
      ExitCode::usage,
      of_run.empty()
          ? fmt::format(
                "--prepare {} takes numbers that are learnt from the matrix of the factorization, and "
                "'{}' has none; prepare both matrices alike, and leave the option out.",
                typed.text(), arguments.components)
          : fmt::format("--prepare is {} here, but the factorization had {}, which is taken by itself; leave "
                        "the option out, or say none for rows that are prepared already.",
                        typed.text(), of_run.text()));
}

/// The loss in which rows are fitted: that of a run, unless components are named with another one.
std::string chosen_loss(const TransformArguments& arguments) {
  const Json run = description_of_run(arguments.components);
  std::string of_run(loss_name(2));
  if (run.is_object() && run.contains("loss")) {
    if (!run["loss"].is_string()) {
      throw Failure(ExitCode::input,
                    fmt::format("the run.json of '{}' is not what a run writes: its loss is {}.",
                                arguments.components, run["loss"].dump()));
    }
    of_run = in_phase(ExitCode::input, [&] { return loss_name(beta_of(run["loss"].get<std::string>())); });
  }
  if (!arguments.loss) return of_run;
  const std::string typed = loss_name(beta_of(*arguments.loss));
  if (arguments.run.empty() || typed == of_run) return typed;
  throw Failure(
      ExitCode::usage,
      fmt::format(
          "--loss is {} here, but the run '{}' minimised the loss {}, which is taken by itself; leave "
          "the option out, or name the components by --components to fit in another loss.",
          typed, arguments.run, of_run));
}

/// Where the components are.
TransformArguments resolved(TransformArguments arguments) {
  if (arguments.run.empty() == arguments.components.empty()) {
    throw Failure(ExitCode::usage,
                  arguments.run.empty()
                      ? "--run or --components is required: the folder of a factorization, or its H.npy."
                      : "--run and --components both name the components; give one of them.");
  }
  if (arguments.components.empty()) {
    arguments.components = arguments.run;
    std::error_code ignored;
    if (!std::filesystem::is_directory(arguments.run, ignored)) {
      throw Failure(ExitCode::input,
                    fmt::format("--run '{}' is no folder; give that of a factorization, or a "
                                "file by --components.",
                                arguments.run));
    }
  }
  arguments.options.loss = chosen_loss(arguments);
  return arguments;
}

struct Fit {
  double kkt = 0;
  double error = 0;
  double relative_error = 0;
  double seconds = 0;
};

template <class T>
Json describe(const TransformArguments& arguments, const InputSummary& input, const Preparation& preparation,
              Index rank, const Fit& fit, const std::vector<std::string>& notes) {
  Json json;
  json["version"] = kVersion;
  report::describe_input(json, input, kPrecision<T>);
  json["prepare"] = list_of(preparation);
  json["components"] = arguments.components;
  json["rank"] = rank;
  json["loss"] = arguments.options.loss;
  json["beta"] = beta_of(arguments.options.loss);
  json["threads"] = ThreadPool(arguments.options.threads).threads();
  json["alpha_w"] = arguments.options.alpha_W;
  json["l1_ratio"] = arguments.options.l1_ratio;
  json["seconds"] = fit.seconds;
  const auto number = [](double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); };
  json["error"] = number(fit.error);
  json["relative_error"] = number(fit.relative_error);
  json["divergence"] = number(0.5 * fit.error * fit.error);
  json["kkt"] = fit.kkt;
  json["notes"] = notes;
  return json;
}

template <class T>
ExitCode run(const TransformArguments& given) {
  const TransformArguments arguments = resolved(given);
  spare_a_fit(arguments.out);
  const Preparation preparation = chosen_preparation(arguments);
  check_weighing(arguments.input, !preparation.empty());
  std::vector<std::string_view> files(kTransformFiles.begin(), kTransformFiles.end());
  OutputFolder folder(arguments.out, files);
  const io::MatrixFile file = open_file(arguments.input.file, arguments.input);
  Input<T> input = read_input<T>(file, arguments.input, ReportArguments{});
  const Matrix<T> H = in_phase(ExitCode::input,
                               [&] { return io::load_dense<T>(file_of_run(arguments.components, "H.npy")); });
  prepare(input, preparation);
  const Data<T>& data = *input.matrix.data;
  check_sizes(arguments, data, H);
  check_range(arguments, H);
  InputSummary summary = summarize(arguments.input.file, data);
  summary.entry_type = entry_type(input.matrix);
  const Json input_file = describe_input_file(file.location().file);

  Fit fit;
  const auto fit_all = [&] {
    const auto begin = std::chrono::steady_clock::now();
    NnlsResult<T> result = fit_rows<T>(data, H.view(), arguments.options);
    fit.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    fit.kkt = result.kkt;
    return std::move(result.X);
  };
  const Matrix<T> W = in_phase(ExitCode::usage, fit_all, [&] {
    const std::string what = fmt::format("W ({} x {}) and what goes with it", data.rows(), H.rows());
    return memory_advice<T>(what, file, OnDisk::no);
  });
  in_phase(ExitCode::usage, [&] {
    fit.error = fit_error<T>(data, W, H.view(), arguments.options);
    const double reference = reference_error<T>(data, arguments.options);
    fit.relative_error = reference > 0 ? fit.error / reference : 0;
    if (std::isinf(fit.error) && beta_of(arguments.options.loss) <= 1) {
      input.notes.push_back(
          fmt::format("The input has entries in columns in which no component has any: their loss {} is "
                      "infinite, whatever "
                      "W is. They are left out of the fit, and there is no error.",
                      arguments.options.loss));
      return;
    }
    if (std::isfinite(fit.error) && std::isfinite(fit.kkt)) return;
    throw NumericalError("the fit left the range of the number type; use --precision float64, or scale H.");
  });
  for (std::string& note : notes_on_weighing(input)) input.notes.push_back(std::move(note));
  keep_from_here();
  Json description = describe<T>(arguments, summary, preparation, H.rows(), fit, input.notes);
  describe_weighing(description, arguments.input.weighing, data);
  description["input_file"] = input_file;
  describe_circumstances(description);
  in_phase(ExitCode::output, [&] {
    io::write_npy<T>(folder.staged("W.npy"), W.view());
    NamedFactors<T> factors = {.W = W,
                               .H = H,
                               .labels = input.labels,
                               .fitted_H = false,
                               .anndata = input.matrix.anndata,
                               .source = file.location().file,
                               .transposed = arguments.input.transpose};
    factors.about = {{"rank", H.rows()},
                     {"loss", arguments.options.loss},
                     {"error", fit.error},
                     {"relative_error", fit.relative_error},
                     {"version", std::string(kVersion)}};
    const auto named = stage_named_factors(folder, factors);
    files.insert(files.end(), named.begin(), named.end());
    folder.publish(description);
  });

  if (!arguments.quiet) print_notes(input.notes);
  if (arguments.json) fmt::print("{}", json_text(description));
  if (!arguments.json && !arguments.quiet) {
    fmt::print("matrix          {} ({} x {})\n", summary.name, summary.rows, summary.cols);
    const double all = static_cast<double>(data.rows()) * static_cast<double>(data.cols());
    if (data.observed() < all) {
      fmt::print("observed        {:.0f} entries, {:.3g} % of all\n", data.observed(),
                 100 * data.observed() / all);
    }
    fmt::print("components      {} ({} x {})\n", arguments.components, H.rows(), H.cols());
    fmt::print("loss            {}\n", arguments.options.loss);
    fmt::print("relative error  {:.6g}\n", fit.relative_error);
    fmt::print("optimality      {:.2g} (0 is exact)\n", fit.kkt);
    fmt::print("files           {}: {}\n", folder.path().string(), fmt::join(files, ", "));
  }
  folder.expect_complete();
  return ExitCode::done;
}

}  // namespace

Command add_transform(CLI::App& program) {
  const auto arguments = std::make_shared<TransformArguments>();
  CLI::App* app = program.add_subcommand("transform", "Fit new rows to the components of a factorization");
  add_input_options(*app, arguments->input);
  app->add_option("--components", arguments->components,
                  wrapped("H of a factorization, rank x columns, no entry negative: its folder, or a file"))
      ->type_name("DIR|H.npy");
  app->add_option(
         "--run", arguments->run,
         wrapped("Folder of a factorization, whose H and loss are taken; in the place of --components"))
      ->type_name("DIR");
  add_loss(
      *app, [arguments](const std::string& loss) { arguments->loss = loss; },
      wrapped("The loss in which the rows are fitted, as for factorize (default: that of the factorization, "
              "frobenius where there is no run.json)"));
  app->add_option(
         with_short("--out"), arguments->out,
         wrapped("Folder for W.npy and run.json, and W.tsv where the names of the rows are known; made if "
                 "it does not exist, and not that of a fit"))
      ->required()
      ->type_name("DIR");
  add_prepare(
      *app, [arguments](Preparation steps) { arguments->prepare = std::move(steps); },
      "none: the rows are prepared already (default: as the factorization prepared its matrix, with the "
      "numbers that it learnt)");
  FitOptions& options = arguments->options;
  add_number(*app, "--alpha-w", options.alpha_W, Range<double>{},
             "Weight of the penalty on W, as in scikit-learn", "0");
  add_number(*app, "--l1-ratio", options.l1_ratio, Range<double>{.high = 1},
             "Share of the sum of the entries in the penalty; the rest is half their squares", "0");
  add_precision(*app, arguments->precision);
  add_number(*app, "--threads", options.threads, Range<int>{.high = 4096},
             "Threads; the result does not depend on it", "0: every core");
  app->add_flag("--quiet", arguments->quiet, wrapped("Print nothing but errors, and what --json asks for"));
  app->add_flag("--json", arguments->json,
                wrapped("Print one JSON object, the content of run.json, in the place of the summary"));
  app->footer(
      "Examples:\n"
      "  anmf factorize words.mtx.gz --rank 20 --out topics\n"
      "  anmf transform new-words.mtx.gz --run topics --out new-topics\n"
      "Every row of W is the best one for its row of the input: the exact nonnegative least squares "
      "solution, "
      "or the\noptimum of the loss to about six digits.");
  return {app, [arguments] {
            return arguments->precision == Precision::float32 ? run<float>(*arguments)
                                                              : run<double>(*arguments);
          }};
}

}  // namespace anmf::cli
