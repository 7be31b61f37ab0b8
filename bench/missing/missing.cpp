// SPDX-License-Identifier: MIT
// Missing entries, one thread, double. First ratings of which one in thirty is observed, with an l2 penalty:
// processor seconds from the matrix in memory until the objective is within 1 %, 0.1 % and 0.01 % of the best
// one that any run from the start has reached, anmf beside a CCD++ of its own (ccd.h) from the same factors
// and with one of both zero, as its authors begin. Then what an outer iteration costs on a dense matrix with
// a tenth of its entries missing beside the complete one. What is compared takes turns; medians. Writes
// Markdown tables to standard output. With --quick matrices are small: to see that it works, not how fast.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "anmf/anmf.h"
#include "anmf/weights.h"
#include "ccd.h"
#include "ratings.h"

namespace {

using namespace anmf;

constexpr std::array kGaps = {1e-2, 1e-3, 1e-4};

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Seen {
  double seconds;
  double objective;
};
using Trace = std::vector<Seen>;

/// Notes when each iteration ended, and ends the run after so many seconds.
class Watch final : public Observer<double> {
 public:
  explicit Watch(double limit, double began) : limit_(limit), began_(began) {}

  Action on_iteration(const IterationRecord& record, ConstMatrixView<double> /*W*/,
                      ConstMatrixView<double> /*Ht*/) override {
    trace.push_back({processor_seconds() - began_, 0.5 * record.error * record.error + record.penalty});
    return trace.back().seconds >= limit_ ? Action::stop : Action::proceed;
  }
  [[nodiscard]] bool wants_factors() const override { return false; }

  Trace trace;

 private:
  double limit_;
  double began_;
};

struct Problem {
  Index rows = 6040;
  Index cols = 3700;
  Index count = 760'000;
  Index least = 20;
  Index rank = 20;
  double l2 = 3;
  std::uint64_t seed = 1;
};

Matrix<double> uniform_matrix(Index rows, Index cols, double scale, std::uint64_t seed,
                              std::uint64_t stream) {
  Matrix<double> X(rows, cols);
  for (Index k = 0; k < X.size(); ++k) X.data()[k] = scale * uniform(seed, stream, k);
  return X;
}

Trace run_anmf(const Csr<double>& M, const Problem& problem, const std::string& method, double limit,
               const Matrix<double>& W, const Matrix<double>& Ht) {
  Start<double> start{.W = W, .H = Matrix<double>(Ht.cols(), Ht.rows())};
  for (Index j = 0; j < Ht.rows(); ++j) {
    for (Index p = 0; p < Ht.cols(); ++p) (*start.H)(p, j) = Ht(j, p);
  }
  // Penalties are multiplied with the sizes.
  const Options options{.rank = W.cols(),
                        .method = method,
                        .max_iterations = 1'000'000,
                        .tolerance = 0,
                        .alpha_W = problem.l2 / static_cast<double>(M.cols),
                        .alpha_H = problem.l2 / static_cast<double>(M.rows),
                        .threads = 1};
  Watch watch(limit, processor_seconds());
  const std::unique_ptr<Data<double>> data = weighted<double>(
      SparseData<double>::from_csr<std::uint32_t>(M.rows, M.cols, M.offsets, M.indices, M.values),
      {.rows = {}, .columns = {}, .entries = OnlyStored{}});
  (void)factorize<double>(*data, options, start, &watch);
  return watch.trace;
}

Trace run_ccd(const Csr<double>& M, const Problem& problem, int inner, double limit, const Matrix<double>& W,
              const Matrix<double>& Ht) {
  const double began = processor_seconds();
  bench::CcdPlusPlus ccd(M, W, Ht, problem.l2);
  double used = processor_seconds() - began;
  Trace trace = {{used, ccd.objective()}};
  while (used < limit) {
    const double at = processor_seconds();
    ccd.iterate(inner);
    used += processor_seconds() - at;
    trace.push_back({used, ccd.objective()});
  }
  return trace;
}

double seconds_to(const Trace& trace, double objective) {
  for (const Seen& seen : trace) {
    if (seen.objective <= objective) return seen.seconds;
  }
  return HUGE_VAL;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void compare(const Problem& problem, int starts, double seconds, const std::vector<std::string>& only) {
  const Csr<double> M =
      bench::ratings(problem.rows, problem.cols, problem.count, problem.least, problem.seed);
  double mean = 0;
  for (const double x : M.values) mean += x / static_cast<double>(M.values.size());
  const double scale = std::sqrt(mean / (0.25 * static_cast<double>(problem.rank)));
  struct Entrant {
    std::string name;
    std::function<Trace(const Matrix<double>&, const Matrix<double>&)> run;
  };
  std::vector<Entrant> entrants;
  for (const char* method : {"e-a-hals", "a-hals", "hals", "mu"}) {
    entrants.push_back({method, [&, method](const auto& W, const auto& Ht) {
                          return run_anmf(M, problem, method, seconds, W, Ht);
                        }});
  }
  for (const int inner : {1, 5}) {
    entrants.push_back({fmt::format("CCD++/{}", inner), [&, inner](const auto& W, const auto& Ht) {
                          return run_ccd(M, problem, inner, 4 * seconds, W, Ht);
                        }});
    entrants.push_back({fmt::format("CCD++/{} from zero", inner), [&, inner](const auto& W, const auto& Ht) {
                          return run_ccd(M, problem, inner, 4 * seconds, W,
                                         Matrix<double>(Ht.rows(), Ht.cols()));
                        }});
  }
  if (!only.empty()) {
    std::erase_if(entrants, [&](const Entrant& e) {
      return std::find(only.begin(), only.end(), e.name) == only.end();
    });
  }
  std::map<std::string, std::array<std::vector<double>, kGaps.size()>> reached;
  std::map<std::string, std::vector<double>> ends;
  std::map<std::string, std::vector<double>> of_iteration;
  for (int start = 0; start < starts; ++start) {
    const auto seed = static_cast<std::uint64_t>(start + 1);
    const Matrix<double> W = uniform_matrix(problem.rows, problem.rank, scale, seed, 0);
    const Matrix<double> Ht = uniform_matrix(problem.cols, problem.rank, scale, seed, 1);
    std::map<std::string, Trace> traces;
    double best = HUGE_VAL;
    for (std::size_t k = 0; k < entrants.size(); ++k) {
      const Entrant& entrant = entrants[(k + static_cast<std::size_t>(start)) % entrants.size()];
      traces[entrant.name] = entrant.run(W, Ht);
      best = std::min(best, traces[entrant.name].back().objective);
    }
    for (const auto& [name, trace] : traces) {
      for (std::size_t g = 0; g < kGaps.size(); ++g)
        reached[name][g].push_back(seconds_to(trace, (1 + kGaps[g]) * best));
      ends[name].push_back(trace.back().objective / best - 1);
      of_iteration[name].push_back((trace.back().seconds - trace.front().seconds) /
                                   static_cast<double>(std::max<std::size_t>(1, trace.size() - 1)));
    }
    fmt::print(stderr, "start {}: best objective {:.8g}\n", start + 1, best);
  }
  fmt::print("{} x {}, {} observed, r = {}, l2 = {}, {} starts\n\n", M.rows, M.cols, M.values.size(),
             problem.rank, problem.l2, starts);
  fmt::print(
      "| | to 1 %, s | to 0.1 % | to 0.01 % | ms per iteration | ends above the best by "
      "|\n|---|---|---|---|---|---|\n");
  for (const Entrant& entrant : entrants) {
    fmt::print("| {} |", entrant.name);
    for (const std::vector<double>& times : reached[entrant.name]) {
      const double time = median(times);
      fmt::print(" {} |", std::isinf(time) ? "-" : fmt::format("{:.3f}", time));
    }
    fmt::print(" {:.1f} | {:.1e} |\n", 1e3 * median(of_iteration[entrant.name]), median(ends[entrant.name]));
  }
  fmt::print("\n");
}

/// Milliseconds per outer iteration, of so many behind the start.
double iteration_ms(const Data<double>& data, const std::string& method, Index rank, Index iterations) {
  const Options options{
      .rank = rank, .method = method, .max_iterations = iterations, .tolerance = 0, .threads = 1};
  Watch watch(HUGE_VAL, processor_seconds());
  (void)factorize<double>(data, options, {}, &watch);
  return 1e3 * (watch.trace.back().seconds - watch.trace.front().seconds) /
         static_cast<double>(watch.trace.size() - 1);
}

void masked(const std::string& file, Index rank, Index iterations, int turns) {
  const Matrix<double> complete = io::load_dense<double>(file);
  Matrix<double> holes = complete;
  Places missing{.rows = complete.rows(), .cols = complete.cols(), .offsets = {0}, .indices = {}};
  for (Index i = 0; i < complete.rows(); ++i) {
    for (Index j = 0; j < complete.cols(); ++j) {
      if (uniform(3, 200, i * complete.cols() + j) >= 0.1) continue;
      missing.indices.push_back(static_cast<std::uint32_t>(j));
      holes(i, j) = 0;
    }
    missing.offsets.push_back(static_cast<Index>(missing.indices.size()));
  }
  const DenseData<double> all(complete.view());
  const auto most = weighted<double>(std::make_unique<DenseData<double>>(std::as_const(holes).view()),
                                     {.rows = {}, .columns = {}, .entries = std::move(missing)});
  fmt::print("{} x {}, r = {}, a tenth missing, {} iterations\n\n", complete.rows(), complete.cols(), rank,
             iterations);
  fmt::print("| | complete, ms per iteration | a tenth missing | ratio |\n|---|---|---|---|\n");
  for (const char* method : {"a-hals", "e-a-hals"}) {
    std::vector<double> times[3];
    for (int turn = 0; turn < turns; ++turn) {
      times[0].push_back(iteration_ms(all, method, rank, iterations));
      times[1].push_back(iteration_ms(*most, method, rank, iterations));
      times[2].push_back(times[1].back() / times[0].back());
    }
    fmt::print("| {} | {:.2f} | {:.2f} | {:.2f} |\n", method, median(times[0]), median(times[1]),
               median(times[2]));
  }
}

}  // namespace

int main(int argc, char** argv) {
  Problem problem;
  std::string folder = "../shared/data";
  std::vector<std::string> only;
  int starts = 3;
  double seconds = 2;
  bool quick = false;
  bool no_ratings = false;
  CLI::App app("Missing entries: ratings beside CCD++, and a dense matrix beside the complete one");
  app.add_option("--data", folder, "Folder with the data sets, one folder each");
  app.add_option("--rows", problem.rows, "Users");
  app.add_option("--cols", problem.cols, "What they rate");
  app.add_option("--count", problem.count, "Ratings");
  app.add_option("--rank", problem.rank, "Rank");
  app.add_option("--l2", problem.l2, "Penalty");
  app.add_option("--seed", problem.seed, "Seed of the ratings");
  app.add_option("--starts", starts, "Random starts")->check(CLI::PositiveNumber);
  app.add_option("--seconds", seconds, "Limit of one run; CCD++ has four times as many")
      ->check(CLI::PositiveNumber);
  app.add_option("--only", only, "Which runs, by name")->delimiter(',');
  app.add_flag("--quick", quick, "Small, for a moment");
  app.add_flag("--no-ratings", no_ratings, "The dense matrix alone");
  CLI11_PARSE(app, argc, argv);
  try {
    if (quick) {
      problem = {.rows = 120, .cols = 80, .count = 2000, .least = 5, .rank = 5};
      seconds = 0.02;
      starts = 1;
    }
    if (!no_ratings) compare(problem, starts, seconds, only);
    const std::string file = folder + "/cbcl/cbcl.npy";
    if (!std::filesystem::exists(file)) {
      fmt::print(stderr, "{} is not there: skipped.\n", file);
    } else if (only.empty()) {
      masked(file, quick ? 5 : 30, quick ? 5 : 50, quick ? 1 : 5);
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
