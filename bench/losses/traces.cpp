// SPDX-License-Identifier: MIT
// Kullback and Leibler's divergence over time: every method from the same starts on one matrix. Seconds begin
// before the matrix in memory is looked at, so checks, its transpose and the start of a run count; the files
// do not. Methods and numbers of threads take turns within every start. Writes JSON to standard output.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <ctime>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "anmf/anmf.h"

namespace {

using namespace anmf;

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

struct Seen {
  double seconds;
  double processor;
  double divergence;
};

/// Notes when each iteration ended, and ends the run after so many seconds, or behind a divergence.
class Watch final : public Observer<double> {
 public:
  Watch(double limit, bool of_processor, double until)
      : limit_(limit),
        of_processor_(of_processor),
        until_(until),
        began_(wall_seconds()),
        used_(processor_seconds()) {}

  Action on_iteration(const IterationRecord& record, ConstMatrixView<double> /*W*/,
                      ConstMatrixView<double> /*Ht*/) override {
    seen_.push_back({wall_seconds() - began_, processor_seconds() - used_, record.error * record.error / 2});
    const Seen& now = seen_.back();
    const bool ends = (of_processor_ ? now.processor : now.seconds) >= limit_ || now.divergence <= until_;
    return ends ? Action::stop : Action::proceed;
  }
  [[nodiscard]] bool wants_factors() const override { return false; }
  [[nodiscard]] const std::vector<Seen>& seen() const { return seen_; }

 private:
  double limit_;
  bool of_processor_;
  double until_;
  double began_;
  double used_;
  std::vector<Seen> seen_;
};

/// The matrix as a caller has it, without what the engine makes of it.
struct Given {
  Matrix<double> dense;
  std::unique_ptr<Data<double>> sparse;

  explicit Given(const std::string& file) {
    if (file.ends_with(".npy")) {
      dense = io::load_dense<double>(file);
    } else {
      sparse = std::move(io::load<double>(file).data);
    }
  }

  [[nodiscard]] std::unique_ptr<Data<double>> data() const {
    if (sparse == nullptr) return std::make_unique<DenseData<double>>(dense.view());
    const Csr<double>& rows = dynamic_cast<const SparseData<double>&>(*sparse).by_row();
    return SparseData<double>::from_csr<std::uint32_t>(rows.rows, rows.cols, rows.offsets, rows.indices,
                                                       rows.values);
  }
};

void print(const std::string& method, int start, int threads, const std::vector<Seen>& seen, bool first) {
  fmt::print(R"({}{{"method": "{}", "start": {}, "threads": {}, "trace": [)", first ? "" : ",\n", method,
             start, threads);
  for (std::size_t k = 0; k < seen.size(); ++k) {
    fmt::print("{}[{:.6f}, {:.6f}, {:.17g}]", k == 0 ? "" : ", ", seen[k].seconds, seen[k].processor,
               seen[k].divergence);
  }
  fmt::print("]}}");
}

}  // namespace

int main(int argc, char** argv) {
  std::string file;
  std::string stem;
  std::vector<std::string> methods = {"auto", "a-mu", "e-a-mu"};
  std::vector<int> threads = {1, 2};
  std::vector<int> starts = {1};
  std::vector<double> until;
  Options options{.loss = "kl", .max_iterations = 1'000'000, .tolerance = 0};
  double seconds = 1;
  bool of_processor = false;
  CLI::App app("Divergence over time, as JSON");
  app.add_option("matrix", file, "Matrix")->required();
  app.add_option("stem", stem, "Start factors: STEM1-W.npy, STEM1-H.npy, ...")->required();
  app.add_option("--rank", options.rank, "Rank")->required();
  app.add_option("--methods", methods, "Methods")->delimiter(',');
  app.add_option("--threads", threads, "Threads")->delimiter(',');
  app.add_option("--starts", starts, "Numbers of the starts")->delimiter(',');
  app.add_option("--seconds", seconds, "Length of a run")->check(CLI::PositiveNumber);
  app.add_flag("--processor", of_processor, "Seconds of the processor, not by the clock");
  app.add_option("--iterations", options.max_iterations, "Iterations of a run at the most");
  app.add_option("--until", until, "Divergence behind which a run ends, for every start")->delimiter(',');
  app.add_option("--tolerance", options.tolerance, "With a tolerance a run looks at its gradients as well");
  app.add_option("--alpha", options.alpha, "Inner sweeps");
  app.add_option("--epsilon", options.epsilon, "End of the inner sweeps");
  CLI11_PARSE(app, argc, argv);
  try {
    const Given given(file);
    fmt::print("[");
    bool first = true;
    for (std::size_t k = 0; k < starts.size(); ++k) {
      const std::string name = stem + std::to_string(starts[k]);
      const Start<double> start{.W = io::load_dense<double>(name + "-W.npy"),
                                .H = io::load_dense<double>(name + "-H.npy")};
      for (const int team : threads) {
        for (const std::string& method : methods) {
          options.method = method;
          options.threads = team;
          if (first) {  // nobody pays for the program's own pages
            Watch unseen(0, false, 0);
            (void)factorize<double>(*given.data(), options, start, &unseen);
          }
          Watch watch(seconds, of_processor, k < until.size() ? until[k] : 0);
          const std::unique_ptr<Data<double>> data = given.data();
          (void)factorize<double>(*data, options, start, &watch);
          print(method, starts[k], team, watch.seen(), first);
          first = false;
        }
      }
    }
    fmt::print("]\n");
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
