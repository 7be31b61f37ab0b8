// SPDX-License-Identifier: MIT
// Which method is fastest? Every method from the same starts on each data set, and the solver seconds until
// the gap E = (e - e_min) / (e(0) - e_min) is 1e-2 and 1e-3; e_min is the lowest error that any method
// reached from that start. Writes a Markdown table to standard output; geometric means over the starts, and a
// run that does not get there counts at its limit.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "anmf/anmf.h"

namespace {

using namespace anmf;

constexpr std::array kGaps = {1e-2, 1e-3};

struct DataSet {
  const char* file;
  Index rank;
  double seconds;  ///< limit of one run
};

constexpr std::array kDataSets = {
    DataSet{"orl/orl.npy", 60, 4},
    DataSet{"umist/umist.npy", 60, 4},
    DataSet{"cbcl/cbcl.npy", 60, 3},
    DataSet{"frey/frey.npy", 60, 3},
    DataSet{"classic/classic.mtx.gz", 20, 1},
    DataSet{"reviews/reviews.mtx.gz", 20, 1},
    DataSet{"hitech/hitech.mtx.gz", 20, 1},
    DataSet{"ohscal/ohscal.mtx.gz", 20, 1},
    DataSet{"la1/la1.mtx.gz", 20, 1},
};

/// "e-a-hals", "e-a-hals:on" (compressed), "a-hals:block", "e-a-hals:hybrid", "e-a-hals:measured" (rho).
Options parse(const std::string& name) {
  Options options{.tolerance = 0};
  const std::size_t colon = name.find(':');
  options.method = name.substr(0, colon);
  options.compress = Compress::off;
  const std::string variant = colon == std::string::npos ? "" : name.substr(colon + 1);
  if (variant == "on") options.compress = Compress::on;
  if (variant == "block") options.inner_stop = InnerStopMode::block;
  if (variant == "hybrid") options.inner_stop = InnerStopMode::hybrid;
  if (variant == "measured") options.rho = RhoSource::measured;
  return options;
}

/// Seconds until the error is at most `target`, or the length of the run.
double seconds_to(const Result<double>& result, double target, int& missed) {
  for (const IterationRecord& record : result.trace) {
    if (record.error <= target) return std::max(record.seconds, 1e-6);
  }
  ++missed;
  return result.seconds;
}

struct Tally {
  std::array<double, kGaps.size()> log_seconds{};
  std::array<int, kGaps.size()> missed{};
};

void compare(const std::string& folder, const DataSet& set, const std::vector<std::string>& names, int starts,
             int threads, std::map<std::string, Tally>& total) {
  const auto loaded = io::load<double>(folder + "/" + set.file);
  std::map<std::string, Tally> tallies;
  for (int start = 0; start < starts; ++start) {
    std::map<std::string, Result<double>> results;
    double best = HUGE_VAL;
    for (std::size_t k = 0; k < names.size(); ++k) {
      // Another one goes first from every start.
      const std::string& name = names[(k + static_cast<std::size_t>(start)) % names.size()];
      Options options = parse(name);
      options.rank = set.rank;
      options.seed = static_cast<std::uint64_t>(start);
      options.threads = threads;
      options.max_iterations = 1'000'000;
      options.time_limit = set.seconds;
      results.emplace(name, factorize<double>(*loaded.data, options));
      best = std::min(best, results.at(name).error);
    }
    for (const std::string& name : names) {
      const Result<double>& result = results.at(name);
      for (std::size_t g = 0; g < kGaps.size(); ++g) {
        const double target = best + kGaps[g] * (result.trace.front().error - best);
        tallies[name].log_seconds[g] +=
            std::log(seconds_to(result, target, tallies[name].missed[g])) / starts;
      }
    }
  }
  fmt::print("| {}, r = {} |", std::string(set.file, std::string_view(set.file).find('/')), set.rank);
  for (const std::string& name : names) {
    const Tally& tally = tallies[name];
    for (std::size_t g = 0; g < kGaps.size(); ++g) {
      const std::string missed = tally.missed[g] > 0 ? fmt::format(" ({})", tally.missed[g]) : "";
      fmt::print("{} {:.3f}{}", g == 0 ? "" : " /", std::exp(tally.log_seconds[g]), missed);
      total[name].log_seconds[g] += tally.log_seconds[g];
    }
    fmt::print(" |");
  }
  fmt::print("\n");
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  std::string folder = "../shared/data";
  std::vector<std::string> names = {"hals", "a-hals", "e-a-hals", "e-a-hals:on", "a-mu", "e-a-mu"};
  std::vector<std::string> only;
  int starts = 10;
  int threads = 2;
  double seconds = 0;
  CLI::App app("Solver seconds to gaps 1e-2 / 1e-3, geometric means over the starts");
  app.add_option("--data", folder, "Folder with the data sets, one folder each");
  app.add_option("--methods", names, "Methods, with :on (compressed), :block, :hybrid or :measured")
      ->delimiter(',');
  app.add_option("--sets", only, "Data sets by name")->delimiter(',');
  app.add_option("--starts", starts, "Random starts")->check(CLI::PositiveNumber);
  app.add_option("--threads", threads, "Threads");
  app.add_option("--seconds", seconds, "Limit of one run (default by data set)")->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  fmt::print("| |");
  for (const std::string& name : names) fmt::print(" {} |", name);
  fmt::print("\n|---|");
  for (std::size_t k = 0; k < names.size(); ++k) fmt::print("---|");
  fmt::print("\n");
  for (const std::string kind : {".npy", ".mtx.gz"}) {
    std::map<std::string, Tally> total;
    int sets = 0;
    for (const DataSet& set : kDataSets) {
      const std::string file = set.file;
      const std::string name = file.substr(0, file.find('/'));
      if (!file.ends_with(kind) || (!only.empty() && std::find(only.begin(), only.end(), name) == only.end()))
        continue;
      if (!std::filesystem::exists(folder + "/" + file)) {
        fmt::print(stderr, "{} is not in {}: skipped.\n", file, folder);
        continue;
      }
      compare(folder, {set.file, set.rank, seconds > 0 ? seconds : set.seconds}, names, starts, threads,
              total);
      ++sets;
    }
    if (sets == 0) continue;
    fmt::print("| geometric mean, {} |", kind == ".npy" ? "dense" : "sparse");
    for (const std::string& name : names) {
      fmt::print(" {:.3f} / {:.3f} |", std::exp(total[name].log_seconds[0] / sets),
                 std::exp(total[name].log_seconds[1] / sets));
    }
    fmt::print("\n");
  }
}
