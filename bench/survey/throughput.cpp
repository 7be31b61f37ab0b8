// SPDX-License-Identifier: MIT
// Do jobs of a survey hinder each other? The starts of a rank are made one at a time with one thread, and
// then as many at a time as there are threads, in turns. Efficiency is the rate of the latter over so many
// times that of the former; since another program may take a core meanwhile, the processor time of a job
// beside others is told, too, over that of a job alone. Both are medians over the turns. Writes a Markdown
// table to standard output:
//     anmf_throughput [--threads T] [--rank K] [--quick] [FILE]...
// By default of a sparse and a dense matrix made here; --quick makes small ones, to see that it works, not
// how fast.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "anmf/anmf.h"
#include "core/random.h"

namespace {

using namespace anmf;

struct Pace {
  double seconds = 0;    // of the clock, for a job
  double processor = 0;  // of all threads
};

Pace pace_of(const Data<double>& data, SurveyOptions options, int at_a_time) {
  options.jobs = at_a_time;
  options.job.threads = at_a_time;
  SurveyMemory<double> store;
  const auto began = std::chrono::steady_clock::now();
  const std::clock_t processor = std::clock();
  make_jobs(data, options, store);
  const auto jobs = static_cast<double>(options.starts);
  return {.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count() / jobs,
          .processor = static_cast<double>(std::clock() - processor) / CLOCKS_PER_SEC / jobs};
}

double median_of(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

void measure(const std::string& name, const Data<double>& data, const SurveyOptions& options, int threads,
             int turns) {
  std::vector<double> efficiency;
  std::vector<double> processor;
  std::vector<double> rate;
  for (int turn = 0; turn < turns; ++turn) {
    const Pace alone = pace_of(data, options, 1);
    const Pace beside = pace_of(data, options, threads);
    efficiency.push_back(alone.seconds / beside.seconds / threads);
    processor.push_back(alone.processor / beside.processor);
    rate.push_back(1 / beside.seconds);
  }
  fmt::print("| {} | {} x {} | {} | {} | {:.2f} | {:.3f} | {:.3f} |\n", name, data.rows(), data.cols(),
             options.ranks.front(), threads, median_of(rate), median_of(efficiency), median_of(processor));
  std::fflush(stdout);
}

/// Counts of cells, three in a hundred of which are not zero.
std::unique_ptr<Data<double>> sparse_matrix(Index rows, Index cols) {
  constexpr double kDensity = 0.03;
  std::vector<Index> i;
  std::vector<Index> j;
  std::vector<double> values;
  for (Index k = 0; k < rows * cols; ++k) {
    if (uniform(1, 0, k) >= kDensity) continue;
    i.push_back(k / cols);
    j.push_back(k % cols);
    values.push_back(1 + std::floor(4 * uniform(2, 0, k)));
  }
  return SparseData<double>::from_triplets(rows, cols, i, j, values);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Do jobs of a survey hinder each other?");
  int threads = 2;
  Index rank = 10;
  bool quick = false;
  std::vector<std::string> files;
  app.add_option("--threads", threads, "jobs side by side")->check(CLI::PositiveNumber);
  app.add_option("--rank", rank, "components")->check(CLI::PositiveNumber);
  app.add_flag("--quick", quick, "small matrices, one turn");
  app.add_option("FILE", files, "matrices");
  CLI11_PARSE(app, argc, argv);

  SurveyOptions options;
  options.ranks = {rank};
  options.starts = 4 * threads;
  options.heldout = Holdout::none;
  options.job.max_iterations = quick ? 5 : 100;
  options.job.tolerance = 0;  // jobs of equal length, so that none waits for the last one
  const int turns = quick ? 1 : 5;
  fmt::print("| matrix | size | k | at a time | jobs/s | efficiency | by processor time |\n");
  fmt::print("|---|---|---|---|---|---|---|\n");
  for (const std::string& file : files) {
    const auto loaded = io::load<double>(std::filesystem::path(file));
    measure(file, *loaded.data, options, threads, turns);
  }
  if (!files.empty()) return 0;
  const Index share = quick ? 20 : 1;
  const auto sparse = sparse_matrix(8000 / share, 2000 / share);
  measure("sparse, 3 %", *sparse, options, threads, turns);
  Matrix<double> M(3000 / share, 1000 / share);
  for (Index k = 0; k < M.size(); ++k) M.data()[k] = uniform(3, 0, k);
  const DenseData<double> dense(std::as_const(M).view());
  measure("dense", dense, options, threads, turns);
  return 0;
}
