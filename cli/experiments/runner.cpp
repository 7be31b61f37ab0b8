// SPDX-License-Identifier: MIT
#include "experiments/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <tuple>

#include "anmf/factorize.h"
#include "failure.h"
#include "interrupt.h"
#include "progress.h"

namespace anmf::cli {
namespace {

struct Ended {};

class LimitObserver final : public Observer<double> {
 public:
  explicit LimitObserver(double flops) : flops_(flops) {}
  Action on_iteration(const IterationRecord& record, ConstMatrixView<double> /*W*/,
                      ConstMatrixView<double> /*Ht*/) override {
    return record.flops >= flops_ ? Action::stop : Action::proceed;
  }
  /// What is under way is lost anyway.
  void interrupt() override {
    if (interrupt_requested()) throw Ended();
  }

 private:
  double flops_;
};

Trace make_run(const RunSpec& spec, const Data<double>& data) {
  Options options = engine_options(spec.variant);
  options.rank = spec.rank;
  options.seed = spec.seed;
  options.threads = 1;
  options.time_limit = spec.limit.seconds;
  LimitObserver observer(spec.limit.work * hals_iteration(*spec.data, spec.rank));
  const Result<double> result = [&] {
    try {
      return factorize<double>(data, options, {}, &observer);
    } catch (const InvalidInput& error) {  // a matrix that its loss cannot do with
      throw Failure(ExitCode::input, fmt::format("{}: {}", spec.data->name, error.what()));
    }
  }();
  Trace trace;
  for (const IterationRecord& record : result.trace) {
    trace.seconds.push_back(record.seconds);
    trace.flops.push_back(record.flops);
    trace.error.push_back(record.error);
  }
  return trace;
}

/// The workers of one comparison. Runs are taken in order, so that few matrices are in memory at a time.
class Workshop {
 public:
  Workshop(std::vector<const RunSpec*> missing, const RunStore& store, int jobs, Runs& runs)
      : missing_(std::move(missing)), store_(store), jobs_(jobs), runs_(runs) {}

  void work() {
    std::vector<std::thread> others;
    for (int k = 1; k < jobs_; ++k) others.emplace_back([this] { take_runs(); });
    take_runs();
    for (std::thread& other : others) other.join();
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  using Matrix = std::shared_ptr<const io::LoadedMatrix<double>>;

  void take_runs() {
    Matrix matrix;
    const DataSet* loaded = nullptr;
    while (!interrupt_requested()) {
      const RunSpec* spec = next();
      if (spec == nullptr) return;
      try {
        if (spec->data != loaded) matrix = nullptr, matrix = load(*spec->data);
        loaded = spec->data;
        Run run{.trace = make_run(*spec, *matrix->data), .jobs = jobs_};
        store_.keep(*spec, run);
        finish(*spec, std::move(run));
      } catch (const Ended&) {
        return;
      } catch (...) {
        const std::lock_guard lock(mutex_);
        if (!failure_) failure_ = std::current_exception();
        next_ = missing_.size();
        return;
      }
    }
  }

  const RunSpec* next() {
    const std::lock_guard lock(mutex_);
    return next_ < missing_.size() ? missing_[next_++] : nullptr;
  }

  /// Workers on the same data set share the matrix.
  Matrix load(const DataSet& data) {
    const std::lock_guard lock(load_mutex_);
    std::weak_ptr<const io::LoadedMatrix<double>>& shared = matrices_[&data];
    Matrix matrix = shared.lock();
    if (!matrix) {
      matrix = std::make_shared<const io::LoadedMatrix<double>>(io::load<double>(data.path));
      shared = matrix;
    }
    return matrix;
  }

  void finish(const RunSpec& spec, Run run) {
    const std::lock_guard lock(mutex_);
    runs_[run_file_name(spec)] = std::move(run);
    ++done_;
    if (!line_.due()) return;
    const double seconds = line_.seconds();
    const double left = seconds / static_cast<double>(done_) * static_cast<double>(missing_.size() - done_);
    line_.show(fmt::format("run {}/{} | {} r = {}, {} | {} | ETA {}", done_, missing_.size(), spec.data->name,
                           spec.rank, spec.variant.label, format_duration(seconds), format_duration(left)));
  }

  std::vector<const RunSpec*> missing_;
  const RunStore& store_;
  int jobs_;
  Runs& runs_;

  std::mutex mutex_;
  std::size_t next_ = 0;
  std::size_t done_ = 0;
  std::exception_ptr failure_;
  StatusLine line_;

  std::mutex load_mutex_;
  std::map<const DataSet*, std::weak_ptr<const io::LoadedMatrix<double>>> matrices_;
};

}  // namespace

RunTally make_runs(const std::vector<RunSpec>& specs, const RunStore& store, int jobs, Runs& runs) {
  RunTally tally;
  std::vector<const RunSpec*> missing;
  std::set<std::string> wanted;
  for (const RunSpec& spec : specs) {
    const std::string name = run_file_name(spec);
    if (!wanted.insert(name).second) continue;
    if (std::optional<Run> run = store.find(spec)) {
      tally.jobs = std::max(tally.jobs, run->jobs);
      runs[name] = std::move(*run);
      ++tally.kept;
    } else {
      missing.push_back(&spec);
    }
  }
  tally.made = missing.size();
  if (missing.empty()) return tally;
  // Runs of one data set follow one another; within it the methods take turns from start to start.
  std::stable_sort(missing.begin(), missing.end(), [](const RunSpec* a, const RunSpec* b) {
    return std::tie(a->data->name, a->rank, a->seed) < std::tie(b->data->name, b->rank, b->seed);
  });
  tally.jobs = std::max(tally.jobs, jobs);
  Workshop(std::move(missing), store, jobs, runs).work();
  if (interrupt_requested()) {
    throw Failure(interrupt_code(),
                  fmt::format("interrupted; {} of {} runs are kept, and the same command goes on from there.",
                              runs.size(), wanted.size()));
  }
  return tally;
}

}  // namespace anmf::cli
