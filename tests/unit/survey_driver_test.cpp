// SPDX-License-Identifier: MIT
// How jobs are made: side by side, once each, in spite of those that fail, until somebody says stop.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "anmf/survey.h"
#include "data/forwarding_data.h"
#include "support/files_and_messages.h"
#include "support/memory_source.h"
#include "support/problems.h"
#include "support/surveys.h"

namespace anmf::test::survey_driver_test {
namespace {

using io_test::expect_phrase;
using io_test::message_of;

/// Refuses products with factors of so many columns.
class Refusing final : public ForwardingData<double> {
 public:
  Refusing(const Data<double>& base, Index rank) : ForwardingData<double>(base), rank_(rank) {}
  void cross(Side side, ConstMatrixView<double> factor, MatrixView<double> result,
             ThreadPool& pool) const override {
    if (factor.cols == rank_ && refuses) throw std::runtime_error("the wire is cut");
    ForwardingData<double>::cross(side, factor, result, pool);
  }
  [[nodiscard]] std::optional<Side> pass_side(Index /*r*/, const ThreadPool& /*pool*/) const override {
    return std::nullopt;
  }
  std::atomic<bool> refuses = true;

 private:
  Index rank_;
};

struct Watch : SurveyObserver<double> {
  std::vector<JobRecord> jobs;
  std::vector<SurveyProgress> progress;
  std::vector<Index> ranks;
  std::atomic<Index> stop_after = 1000;
  std::atomic<bool> stop_throws = false;
  std::atomic<Index> made = 0;
  bool job_throws = false;
  void on_job(const JobRecord& record, const SurveyProgress& state) override {
    jobs.push_back(record);
    progress.push_back(state);
    made = state.made;
    if (job_throws) throw std::logic_error("the observer gives up");
  }
  void on_rank(Index rank) override { ranks.push_back(rank); }
  bool stop() override {
    if (stop_throws && made > 0) throw std::logic_error("asked once too often");
    return made >= stop_after;
  }
};

class SurveyDriver : public testing::Test {
 protected:
  SurveyDriver() { options_.heldout = Holdout::none; }
  const Matrix<double> M_ = planted(24, 18, 3, 5, 0.05);
  const DenseData<double> data_{M_.view()};
  SurveyOptions options_ = small_survey();
  SurveyMemory<double> store_;
  Watch watch_;
};

TEST_F(SurveyDriver, MakesEveryJobOnceAndTellsOfIt) {
  options_.jobs = 3;
  make_jobs<double>(data_, options_, store_, &watch_);
  std::set<JobKey> made;
  for (const JobRecord& job : watch_.jobs) made.insert(job.key);
  EXPECT_EQ(made.size(), 12U);
  EXPECT_EQ(watch_.jobs.size(), 12U);
  for (std::size_t i = 0; i < watch_.progress.size(); ++i) {
    const SurveyProgress& progress = watch_.progress[i];
    EXPECT_EQ(progress.done, static_cast<Index>(i) + 1);
    EXPECT_EQ(progress.made, progress.done);
    EXPECT_EQ(progress.total, 12);
    EXPECT_EQ(progress.at_a_time, 3);
    EXPECT_GE(progress.seconds_left, 0);
  }
  EXPECT_EQ(watch_.progress.back().seconds_left, 0);
  // Nothing is left for another call.
  Watch second;
  make_jobs<double>(data_, options_, store_, &second);
  EXPECT_TRUE(second.jobs.empty());
}

TEST_F(SurveyDriver, OneAtATimeFollowsTheOrder) {
  options_.jobs = 1;
  make_jobs<double>(data_, options_, store_, &watch_);
  std::vector<JobKey> order;
  for (const JobRecord& job : watch_.jobs) order.push_back(job.key);
  EXPECT_EQ(order, survey_jobs(options_));
}

TEST_F(SurveyDriver, JobsThatFailAreRecordedAndTheOthersGoOn) {
  options_.jobs = 2;
  options_.job.method = "a-hals";
  Refusing data(data_, 3);
  const SurveyTable table = survey<double>(data, options_, store_, &watch_);
  EXPECT_FALSE(table.stopped);
  EXPECT_EQ(watch_.ranks, options_.ranks);
  ASSERT_EQ(table.ranks.size(), 3U);
  EXPECT_EQ(table.ranks[1].failed, 4);
  EXPECT_EQ(table.ranks[1].starts, 0);
  EXPECT_EQ(table.ranks[0].failed, 0);
  EXPECT_EQ(table.ranks[2].starts, 4);
  EXPECT_TRUE(std::isnan(table.ranks[1].silhouette));
  for (const JobRecord& job : table.jobs) {
    EXPECT_EQ(job.status == JobStatus::failed, job.key.rank == 3);
    EXPECT_EQ(job.message, job.key.rank == 3 ? "the wire is cut" : "");
    EXPECT_EQ(job.seed, job_options(options_, job.key).seed);
  }
  ASSERT_EQ(table.notes.size(), 1U);
  expect_phrase(table.notes[0], "Rank 3: No start has ended well");
  // Components of rank 4 have no parents at rank 3.
  for (const ComponentSummary& component : table.components) EXPECT_EQ(component.parent, 0);
  expect_phrase(message_of<InvalidInput>([&] { (void)consensus<double>(data, options_, store_, 3); }),
                "No start of rank 3");

  // They stay failed until they are asked for.
  data.refuses = false;
  Watch second;
  make_jobs<double>(data, options_, store_, &second);
  EXPECT_TRUE(second.jobs.empty());
  options_.retry_failed = true;
  make_jobs<double>(data, options_, store_, &second);
  EXPECT_EQ(second.jobs.size(), 4U);
  EXPECT_EQ(store_.spectra(3).starts.size(), 4U);
}

TEST_F(SurveyDriver, StopsAndGoesOn) {
  options_.jobs = 1;
  watch_.stop_after = 5;
  const SurveyTable cut = survey<double>(data_, options_, store_, &watch_);
  EXPECT_TRUE(cut.stopped);
  EXPECT_EQ(cut.jobs.size(), 5U);
  EXPECT_EQ(cut.ranks[2].starts, 4);
  EXPECT_EQ(cut.ranks[1].starts, 1);
  EXPECT_EQ(cut.ranks[0].starts, 0);
  const SurveyTable rest = survey<double>(data_, options_, store_);
  SurveyMemory<double> fresh;
  expect_same_table(rest, survey<double>(data_, options_, fresh));
}

TEST_F(SurveyDriver, AbandonsJobsUnderWay) {
  struct StopsInTheMiddle final : SurveyObserver<double> {
    std::atomic<int> asked = 0;
    bool stop() override { return ++asked > 5; }
  };
  options_.job.max_iterations = 100'000'000;  // hours
  options_.job.tolerance = 0;
  options_.jobs = 3;
  options_.job.threads = 2;
  const StreamedData<double> on_disk(std::make_unique<MemorySource<double>>(M_, Blocks{.lines = 5}));
  for (const Data<double>* const data :
       {static_cast<const Data<double>*>(&data_), static_cast<const Data<double>*>(&on_disk)}) {
    StopsInTheMiddle observer;
    make_jobs<double>(*data, options_, store_, &observer);
    EXPECT_GT(observer.asked, 5);
    EXPECT_FALSE(store_.find(survey_jobs(options_)[0]).has_value());
  }
}

TEST_F(SurveyDriver, AFileThatCannotBeReadFailsTheJobsThatReadIt) {
  std::atomic<int> reads = 0;
  const StreamedData<double> data(std::make_unique<MemorySource<double>>(M_, Blocks{.lines = 5}, [&](Index) {
    if (++reads == 200) throw IoError("the disk is gone for a moment");
  }));
  options_.jobs = 3;
  options_.job.threads = 2;
  const SurveyTable table = survey<double>(data, options_, store_);
  Index failed = 0;
  for (const RankSummary& rank : table.ranks) failed += rank.failed;
  EXPECT_GE(failed, 1);
  EXPECT_LE(failed, 3);
  EXPECT_FALSE(table.stopped);
}

TEST_F(SurveyDriver, WhatTheStoreThrowsEndsTheSurvey) {
  struct FullDisk final : SurveyStore<double> {
    int kept = 0;
    std::optional<JobRecord> find(const JobKey& /*key*/) override { return std::nullopt; }
    void keep(JobResult<double>&& /*result*/) override {
      if (++kept == 3) throw IoError("no space left");
    }
    RankSpectra spectra(Index /*rank*/) override { return {}; }
    JobResult<double> best(Index /*rank*/) override { return {}; }
    void keep(RankConsensus<double>&& /*consensus*/) override {}
  } store;
  options_.jobs = 3;
  expect_phrase(message_of<IoError>([&] { make_jobs<double>(data_, options_, store, &watch_); }), "no space");
  EXPECT_EQ(store.kept, 3);
}

TEST_F(SurveyDriver, WhatTheObserverThrowsEndsTheSurvey) {
  options_.jobs = 2;
  watch_.job_throws = true;
  expect_phrase(message_of<std::logic_error>([&] { make_jobs<double>(data_, options_, store_, &watch_); }),
                "gives up");
  EXPECT_EQ(watch_.jobs.size(), 1U);
  Watch asked;
  asked.stop_throws = true;
  SurveyMemory<double> store;
  expect_phrase(message_of<std::logic_error>([&] { make_jobs<double>(data_, options_, store, &asked); }),
                "once too often");
}

TEST_F(SurveyDriver, SeveralProcessesShareTheJobs) {
  // Every other job each.
  for (const Index part : {0, 1}) {
    Index next = part;
    Watch watch;
    make_jobs<double>(data_, options_, store_, &watch, [&]() -> std::optional<Index> {
      const Index place = next;
      next += 2;
      if (place >= 12) return std::nullopt;
      return place;
    });
    EXPECT_EQ(watch.jobs.size(), 6U);
    EXPECT_EQ(watch.progress.back().done, 6 * (part + 1));
  }
  SurveyMemory<double> alone;
  expect_same_table(summarize<double>(data_, options_, store_), survey<double>(data_, options_, alone));
}

TEST_F(SurveyDriver, JobsThatOthersHaveMadeMeanwhileAreNotMadeAgain) {
  SurveyMemory<double> other;
  make_jobs<double>(data_, options_, other);
  const std::vector<JobKey> jobs = survey_jobs(options_);
  Index next = 0;
  make_jobs<double>(data_, options_, store_, &watch_, [&]() -> std::optional<Index> {
    if (next == 12) return std::nullopt;
    if (next % 3 == 1) {
      JobResult<double> made;
      made.record = *other.find(jobs[static_cast<std::size_t>(next)]);
      made.record.message = "made by somebody else";
      made.record.status = JobStatus::failed;
      store_.keep(std::move(made));
    }
    return next++;
  });
  EXPECT_EQ(watch_.jobs.size(), 8U);
  EXPECT_EQ(watch_.progress.back().done, 12);
  EXPECT_EQ(store_.find(jobs[1])->message, "made by somebody else");
}

TEST(SurveyMemoryStore, KeepsTheUsagesOfTheBestStart) {
  SurveyMemory<double> store;
  const auto keep = [&](Index number, double error, double mark) {
    JobResult<double> job;
    job.record = {.key = {1, JobKind::start, number}, .status = JobStatus::converged, .error = error};
    job.spectra = Matrix<double>(1, 2, mark);
    job.usages = Matrix<double>(3, 1, mark);
    job.labels = {1, 1, 0};
    store.keep(std::move(job));
  };
  EXPECT_EQ(store.best(1).usages.size(), 0);
  keep(4, 2.0, 4);
  EXPECT_EQ(store.best(1).record.key.number, 4);
  keep(2, std::nan(""), 2);
  EXPECT_EQ(store.best(1).record.key.number, 4);
  keep(3, 2.0, 3);  // the first of equals
  EXPECT_EQ(store.best(1).usages(0, 0), 3);
  keep(5, 2.0, 5);
  EXPECT_EQ(store.best(1).record.key.number, 3);
  keep(1, 1.0, 1);
  EXPECT_EQ(store.best(1).usages(2, 0), 1);
  EXPECT_EQ(store.best(2).usages.size(), 0);
  const RankSpectra all = store.spectra(1);
  EXPECT_EQ(all.starts, (std::vector<Index>{1, 2, 3, 4, 5}));
  EXPECT_EQ(all.spectra(3, 1), 4);
  EXPECT_EQ(all.labels(4, 0), 1);
  EXPECT_TRUE(store.spectra(2).starts.empty());
}

}  // namespace
}  // namespace anmf::test::survey_driver_test
