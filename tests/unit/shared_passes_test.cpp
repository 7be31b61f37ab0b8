// SPDX-License-Identifier: MIT
// Runs that share passes have the bits of runs alone, in as many passes as the longest of them takes.
#include "survey/shared_passes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <functional>
#include <latch>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "anmf/factorize.h"
#include "support/memory_source.h"

namespace anmf::test::shared_passes_test {
namespace {

Options run_of(Index rank, std::uint64_t seed, Index iterations, const std::string& loss = "frobenius") {
  Options options;
  options.rank = rank;
  options.seed = seed;
  options.loss = loss;
  options.max_iterations = iterations;
  options.tolerance = 0;
  options.explore = Explore::off;
  options.compress = Compress::off;
  options.threads = 1;
  return options;
}

/// body(i) in a thread of its own for each of so many; what they throw.
std::vector<std::exception_ptr> in_threads(std::size_t count, const std::function<void(std::size_t)>& body) {
  std::vector<std::exception_ptr> errors(count);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < count; ++i) {
    threads.emplace_back([&, i] {
      try {
        body(i);
      } catch (...) {
        errors[i] = std::current_exception();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return errors;
}

template <class T>
struct Together {
  std::vector<Result<T>> results;
  std::vector<std::exception_ptr> errors;
};

/// All of them begin when all have joined; `threads` compute at a time.
template <class T>
Together<T> run_together(const Data<T>& data, const std::vector<Options>& runs, int threads,
                         const std::vector<Observer<T>*>& observers = {}, Interrupt interrupt = {}) {
  SharedPasses<T> passes(data, threads, std::move(interrupt));
  Together<T> together;
  together.results.resize(runs.size());
  std::latch all_here(static_cast<std::ptrdiff_t>(runs.size()));
  together.errors = in_threads(runs.size(), [&](std::size_t i) {
    const auto member = passes.join();
    // With fewer places than runs the others join when some wait for M.
    if (static_cast<std::size_t>(threads) >= runs.size()) all_here.arrive_and_wait();
    together.results[i] = factorize<T>(*member, runs[i], {}, observers.empty() ? nullptr : observers[i]);
  });
  return together;
}

template <class T>
void expect_same_bits(const Result<T>& one, const Result<T>& other) {
  EXPECT_EQ(one.W, other.W);
  EXPECT_EQ(one.H, other.H);
  EXPECT_EQ(one.error, other.error);
  EXPECT_EQ(one.kkt, other.kkt);
  EXPECT_EQ(one.iterations, other.iterations);
}

template <class T>
void expect_bits_and_passes(const Matrix<T>& M, const Blocks& kind, const std::vector<Options>& runs) {
  const auto data = to_stream<T>(M, kind);
  std::vector<Result<T>> alone;
  Index longest = 0;
  for (const Options& run : runs) {
    const Index before = data->statistics().passes;
    alone.push_back(factorize<T>(*data, run));
    longest = std::max(longest, data->statistics().passes - before);
  }
  EXPECT_GT(longest, 4);
  const Index before = data->statistics().passes;
  const Together<T> together = run_together<T>(*data, runs, static_cast<int>(runs.size()));
  EXPECT_EQ(data->statistics().passes - before, longest);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    EXPECT_FALSE(together.errors[i]);
    expect_same_bits(together.results[i], alone[i]);
  }
}

TEST(SharedPasses, HaveTheBitsOfRunsAloneInThePassesOfTheLongest) {
  const Matrix<double> M = planted(150, 97, 4, 3, 0.2);
  for (const Blocks& kind : all_kinds(48)) {
    expect_bits_and_passes<double>(M, kind,
                                   {run_of(2, 1, 12), run_of(5, 2, 20), run_of(4, 3, 7), run_of(5, 4, 20)});
    expect_bits_and_passes<double>(M, kind, {run_of(3, 1, 10, "kl"), run_of(5, 2, 16, "kl")});
  }
}

TEST(SharedPasses, TakeRunsOfAllKindsTogether) {
  const Matrix<float> M = planted<float>(110, 60, 4, 3, 0.2F);
  Options start_from_data = run_of(3, 1, 9);
  start_from_data.init = Init::nndsvd;
  Options two_reads = run_of(4, 2, 11);
  two_reads.method = "a-pg";
  Options on_compression = run_of(4, 3, 8);
  on_compression.compress = Compress::on;
  on_compression.threads = 2;
  for (const Blocks& kind : all_kinds(40)) {
    expect_bits_and_passes<float>(
        M, kind, {start_from_data, two_reads, on_compression, run_of(2, 5, 10, "kl"), run_of(6, 6, 15)});
  }
}

TEST(SharedPasses, GapsAreFilledForThoseWhoMultiply) {
  Matrix<double> M = planted(90, 50, 3, 3, 0.2);
  for (Index i = 0; i < 90; ++i) M(i, (7 * i) % 50) = std::numeric_limits<double>::quiet_NaN();
  class Gaps final : public BlockSource<double> {
   public:
    explicit Gaps(const Matrix<double>& M) : base_(M, {}) {}
    [[nodiscard]] Index rows() const override { return base_.rows(); }
    [[nodiscard]] Index cols() const override { return base_.cols(); }
    [[nodiscard]] Index nonzeros() const override { return base_.rows() * base_.cols(); }
    [[nodiscard]] bool sparse() const override { return false; }
    [[nodiscard]] Layout layout() const override { return Layout::row_major; }
    [[nodiscard]] Index blocks() const override { return base_.blocks(); }
    [[nodiscard]] Index first_line(Index block) const override { return base_.first_line(block); }
    [[nodiscard]] double bytes(Index block) const override { return base_.bytes(block); }
    void read(Index block, BlockEntries<double>& entries) override { base_.read(block, entries); }
    [[nodiscard]] bool has_gaps() const override { return true; }

   private:
    MemorySource<double> base_;
  };
  const StreamedData<double> data(std::make_unique<Gaps>(M));
  const std::vector<Options> runs = {run_of(3, 1, 8), run_of(2, 2, 8, "kl"), run_of(4, 3, 8)};
  const Together<double> together = run_together<double>(data, runs, 3);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    ASSERT_FALSE(together.errors[i]);
    expect_same_bits(together.results[i], factorize<double>(data, runs[i]));
  }
}

TEST(SharedPasses, FewerComputeAtATimeThanThereAreRuns) {
  const Matrix<double> M = planted(150, 60, 4, 3, 0.2);
  const auto data = to_stream<double>(M, {});
  const std::vector<Options> runs = {run_of(2, 1, 12), run_of(5, 2, 20), run_of(4, 3, 7), run_of(3, 4, 9)};
  const Together<double> together = run_together<double>(*data, runs, 1);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    ASSERT_FALSE(together.errors[i]);
    expect_same_bits(together.results[i], factorize<double>(*data, runs[i]));
  }
}

TEST(SharedPasses, RunsComeAndGo) {
  const Matrix<double> M = planted(130, 60, 4, 3, 0.2);
  const auto data = to_stream<double>(M, {});
  SharedPasses<double> passes(*data, 3);
  std::atomic<Index> next = 0;
  std::vector<Result<double>> results(12);
  const auto options_of = [](std::size_t i) {
    return run_of(2 + static_cast<Index>(i % 4), i, 3 + static_cast<Index>(5 * i % 17));
  };
  const auto errors = in_threads(3, [&](std::size_t) {
    for (Index i = next++; i < 12; i = next++) {
      const auto member = passes.join();
      results[static_cast<std::size_t>(i)] =
          factorize<double>(*member, options_of(static_cast<std::size_t>(i)));
    }
  });
  for (const std::exception_ptr& error : errors) EXPECT_FALSE(error);
  for (std::size_t i = 0; i < 12; ++i) expect_same_bits(results[i], factorize<double>(*data, options_of(i)));
}

struct Enough : std::runtime_error {
  Enough() : std::runtime_error("enough") {}
};

/// Throws within the iteration that follows so many.
class Quitter final : public Observer<double> {
 public:
  explicit Quitter(Index after) : after_(after) {}
  Action on_iteration(const IterationRecord& record, ConstMatrixView<double> /*W*/,
                      ConstMatrixView<double> /*Ht*/) override {
    iteration_ = record.iteration;
    return Action::proceed;
  }
  void interrupt() override {
    if (iteration_ >= after_) throw Enough();
  }

 private:
  Index after_;
  std::atomic<Index> iteration_ = 0;
};

bool is_enough(const std::exception_ptr& error) {
  if (!error) return false;
  try {
    std::rethrow_exception(error);
  } catch (const Enough&) {
    return true;
  } catch (...) {
    return false;
  }
}

TEST(SharedPasses, WhatOneRunThrowsLeavesTheOthersAlone) {
  const Matrix<double> M = planted(150, 60, 4, 3, 0.2);
  for (const Blocks& kind : all_kinds(48)) {
    const auto data = to_stream<double>(M, kind);
    const std::vector<Options> runs = {run_of(2, 1, 12), run_of(5, 2, 20), run_of(4, 3, 9)};
    for (std::size_t who = 0; who < runs.size(); ++who) {
      Quitter quitter(3);
      std::vector<Observer<double>*> observers(runs.size(), nullptr);
      observers[who] = &quitter;
      const Together<double> together = run_together<double>(*data, runs, 3, observers);
      for (std::size_t i = 0; i < runs.size(); ++i) {
        EXPECT_EQ(is_enough(together.errors[i]), i == who);
        if (i != who) expect_same_bits(together.results[i], factorize<double>(*data, runs[i]));
      }
    }
  }
}

TEST(SharedPasses, AllRunsMayQuitAtOnce) {
  const Matrix<double> M = planted(150, 60, 4, 3, 0.2);
  const auto data = to_stream<double>(M, {});
  Quitter one(2), two(2), three(2);
  const Together<double> together = run_together<double>(
      *data, {run_of(2, 1, 12), run_of(5, 2, 20), run_of(4, 3, 9)}, 3, {&one, &two, &three});
  for (const std::exception_ptr& error : together.errors) EXPECT_TRUE(is_enough(error));
}

TEST(SharedPasses, WhatTheSourceThrowsComesOutOfAll) {
  const Matrix<double> M = planted(150, 60, 4, 3, 0.2);
  std::atomic<Index> reads = 0;
  const auto data = to_stream<double>(M, {}, [&](Index /*block*/) {
    if (++reads == 20) throw Enough();
  });
  const std::vector<Options> runs = {run_of(2, 1, 12), run_of(5, 2, 20), run_of(4, 3, 9)};
  const Together<double> together = run_together<double>(*data, runs, 3);
  for (const std::exception_ptr& error : together.errors) EXPECT_TRUE(is_enough(error));
  EXPECT_EQ(run_together<double>(*data, runs, 3).errors, std::vector<std::exception_ptr>(3));  // later on
}

TEST(SharedPasses, TheInterruptEndsAll) {
  const Matrix<double> M = planted(150, 60, 4, 3, 0.2);
  const auto data = to_stream<double>(M, {});
  std::atomic<Index> asked = 0;
  const Together<double> together =
      run_together<double>(*data, {run_of(2, 1, 12), run_of(5, 2, 20), run_of(4, 3, 9)}, 3, {}, [&] {
        if (++asked == 15) throw Enough();
      });
  for (const std::exception_ptr& error : together.errors) EXPECT_TRUE(is_enough(error));
}

TEST(SharedPasses, DataThatIsNotReadAnewIsAsItWas) {
  const Matrix<double> M = planted(60, 40, 3, 3, 0.2);
  const DenseData<double> data(M.view());
  const std::vector<Options> runs = {run_of(2, 1, 12), run_of(3, 2, 20)};
  const Together<double> together = run_together<double>(data, runs, 2);
  for (std::size_t i = 0; i < runs.size(); ++i)
    expect_same_bits(together.results[i], factorize<double>(data, runs[i]));
}

TEST(SharedPasses, JobsOfASurveyShareThem) {
  const Matrix<double> M = planted(150, 60, 3, 3, 0.2);
  const auto data = to_stream<double>(M, {});
  SurveyOptions options;
  options.ranks = {2, 3};
  options.starts = 4;
  options.heldout = Holdout::none;
  options.job = run_of(0, 0, 15);
  const auto passes_of = [&](SurveyMemory<double>& store, int jobs, int threads) {
    options.jobs = jobs;
    options.job.threads = threads;
    const Index before = data->statistics().passes;
    make_jobs<double>(*data, options, store);
    return data->statistics().passes - before;
  };
  SurveyMemory<double> alone, together;
  const Index most = passes_of(alone, 1, 1);
  EXPECT_LT(passes_of(together, 4, 2), most / 2);
  for (const Index rank : options.ranks) {
    EXPECT_EQ(together.spectra(rank).spectra, alone.spectra(rank).spectra);
    EXPECT_EQ(together.spectra(rank).labels, alone.spectra(rank).labels);
    EXPECT_EQ(together.best(rank).record.error, alone.best(rank).record.error);
  }
}

/// Stops a survey after so many jobs.
class StopAfter final : public SurveyObserver<double> {
 public:
  explicit StopAfter(Index jobs) : left_(jobs) {}
  void on_job(const JobRecord& /*record*/, const SurveyProgress& /*progress*/) override { --left_; }
  [[nodiscard]] bool stop() override { return left_ <= 0; }

 private:
  std::atomic<Index> left_;
};

TEST(SharedPasses, ASurveyThatIsStoppedEnds) {
  const Matrix<double> M = planted(150, 60, 3, 3, 0.2);
  const auto data = to_stream<double>(M, {});
  SurveyOptions options;
  options.ranks = {2, 3};
  options.starts = 40;
  options.heldout = Holdout::none;
  options.job = run_of(0, 0, 200);
  options.jobs = 4;
  SurveyMemory<double> store;
  StopAfter observer(3);
  make_jobs<double>(*data, options, store, &observer);
  Index done = 0;
  for (const JobKey& key : survey_jobs(options)) done += store.find(key) ? 1 : 0;
  EXPECT_GE(done, 3);
  EXPECT_LT(done, 20);
}

}  // namespace
}  // namespace anmf::test::shared_passes_test
