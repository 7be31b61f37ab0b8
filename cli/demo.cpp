// SPDX-License-Identifier: MIT
// anmf demo: makes the swimmer images, finds their parts and draws both.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>

#include "anmf/factorize.h"
#include "anmf/fit_quality.h"
#include "anmf/io.h"
#include "circumstances.h"
#include "command.h"
#include "fit_report.h"
#include "interrupt.h"
#include "montage.h"
#include "option_helpers.h"
#include "output_folder.h"
#include "progress.h"
#include "run_folder.h"
#include "swimmer.h"

namespace anmf::cli {
namespace {

struct DemoArguments {
  std::string out = "demo-out";
  // Chosen: of the seeds 0 to 99, 3 give the torso a component of its own (9, 44, 98). From 96 others it
  // ends in the four components of one limb, which fits M as well; one has a larger error.
  std::uint64_t seed = 9;
};

constexpr std::array<std::string_view, 7> kDemoFiles = {
    "swimmer.png", "components.png", kReportFile, kRunFiles[0], kRunFiles[1], kRunFiles[2], kRunFiles[3]};

Options demo_options(std::uint64_t seed) {
  Options options;
  options.rank = kSwimmerParts;
  options.method = "a-hals";
  options.seed = seed;
  options.max_iterations = 1000;
  // Without a penalty the fit is exact, but a share of the torso, which is in every image, hides in the
  // limbs. Asking for small sums moves it out, at the price of an error of 0.002.
  options.alpha_W = 2e-4;
  options.l1_ratio = 1;
  options.sort_components = true;  // the torso comes first
  return options;
}

ReportLabels demo_labels() {
  ReportLabels labels;
  labels.image_shape = {kSwimmerSide, kSwimmerSide};
  return labels;
}

/// 16 of the 256 images, chosen so that every limb is seen in all its positions.
std::vector<Matrix<double>> sample_images(const Matrix<double>& M) {
  constexpr Index kCount = 16;
  std::vector<Matrix<double>> images;
  images.reserve(kCount);
  for (Index k = 0; k < kCount; ++k) {
    images.push_back(column_as_image(M, k * 37 % kSwimmerImages, kSwimmerSide, kSwimmerSide));
  }
  return images;
}

std::vector<Matrix<double>> components(const Matrix<double>& W) {
  std::vector<Matrix<double>> images;
  images.reserve(static_cast<std::size_t>(W.cols()));
  for (Index p = 0; p < W.cols(); ++p) images.push_back(column_as_image(W, p, kSwimmerSide, kSwimmerSide));
  return images;
}

void stage_picture(OutputFolder& folder, std::string_view name, const std::vector<Matrix<double>>& tiles,
                   int columns) {
  const std::string png = encode_png(montage(tiles, {.columns = columns}));
  io::write_atomically(folder.staged(name), [&](std::ostream& out) { out << png; });
}

void print_trace(const std::vector<IterationRecord>& trace) {
  fmt::print("iteration  relative error\n");
  for (const IterationRecord& record : trace) {
    const Index i = record.iteration;
    const bool round = i == 0 || i == 1 || i == 3 || i == 10 || i == 30 || i == 100 || i == 300;
    if (round || &record == &trace.back()) fmt::print("{:>9}  {:.6f}\n", i, record.relative_error);
  }
}

void print_story(const Result<double>& result, const std::filesystem::path& folder) {
  fmt::print(
      "Made 256 images of a swimmer (32 x 32 pixels): a torso and four limbs, each limb in one of four\n"
      "positions. Each image is a column of M (1024 x 256). The method a-hals looked for {} components W\n"
      "and weights H with M ~ W H, no entry negative and (a small L1 penalty) little ink, and was told\n"
      "nothing about limbs.\n\n",
      result.W.cols());
  print_trace(result.trace);
  fmt::print("\n{}\nThe relative error ||M - W H|| / ||M|| is {:.2g}.\n\n", result.message,
             result.relative_error);
  fmt::print(
      "Look at\n"
      "{2}"
      "  {0}/swimmer.png     16 of the 256 images\n"
      "  {0}/components.png  the {1} columns of W: each tile one part, the torso or a limb in one position\n"
      "  {0}/run.json        what was run and how it ended; trace.csv, W.npy and H.npy are beside it\n"
      "The start is random, and its default seed was chosen: of the seeds 0 to 99, 3 find all 17 parts. "
      "From\n"
      "most others (try --seed 1) the fit is as good, but the torso sticks to the four tiles of one limb.\n",
      folder.string(), result.W.cols(),
      has_report_page()
          ? fmt::format("  {}/report.html     open it in a browser: the run, its parts and its error\n",
                        folder.string())
          : "");
}

ExitCode run(const DemoArguments& arguments) {
  OutputFolder folder(arguments.out, kDemoFiles);
  const Matrix<double> M = swimmer_matrix();
  const DenseData<double> data(M.view());
  const Options options = demo_options(arguments.seed);

  const Result<double> result = in_phase(ExitCode::usage, [&] {
    RunObserver<double> observer(options);
    return factorize<double>(data, options, {}, &observer);
  });
  in_phase(ExitCode::output, [&] {
    stage_run(folder, result);
    stage_picture(folder, "swimmer.png", sample_images(M), 8);
    stage_picture(folder, "components.png", components(result.W), 6);
    auto run = describe_run(summarize<double>("swimmer, made by anmf demo", data), options, result);
    describe_circumstances(run);
    run["best_rank_error"] = best_rank_error(data, result);
    if (has_report_page()) {
      const ReportLabels labels = demo_labels();
      stage_report(folder, "Swimmer: 17 components", run, result, labels,
                   report::describe_fit(data, result, labels, options.threads));
    }
    folder.publish(run);
  });

  print_story(result, folder.path());
  folder.expect_complete();
  return result.status == Status::stopped_by_observer ? interrupt_code() : ExitCode::done;
}

}  // namespace

Command add_demo(CLI::App& program) {
  const auto arguments = std::make_shared<DemoArguments>();
  CLI::App* app = program.add_subcommand("demo", "Find the parts of a swimmer and draw them");
  app->add_option(
         with_short("--out"), arguments->out,
         wrapped("Folder for the pictures and the run; made if it does not exist (default demo-out)"))
      ->type_name("DIR");
  add_number(*app, "--seed", arguments->seed, Range<std::uint64_t>{}, "Seed of the random start",
             fmt::to_string(arguments->seed));
  app->footer("Example:\n  anmf demo --out demo-out");
  return {app, [arguments] { return run(*arguments); }};
}

}  // namespace anmf::cli
