// SPDX-License-Identifier: MIT
// Jobs of a survey have the bits of factorize() alone, and tables hang neither on threads nor on the order in
// which jobs were made.
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "anmf/survey.h"
#include "anmf/weights.h"
#include "support/memory_source.h"
#include "support/problems.h"
#include "support/surveys.h"
#include "survey/cross_validation.h"
#include "survey/resampled.h"

namespace anmf::test::survey_test {
namespace {

/// Every start, as its spectra and usages stand in M.
template <class T>
void expect_bits_of_factorize(const Data<T>& data, const SurveyOptions& options) {
  SurveyMemory<T> store;
  make_jobs<T>(data, options, store);
  for (const JobKey& key : survey_jobs(options)) {
    const Result<T> alone = factorize<T>(data, job_options(options, key));
    const JobRecord record = store.find(key).value();
    EXPECT_EQ(record.seed, job_options(options, key).seed);
    EXPECT_EQ(record.iterations, alone.iterations);
    EXPECT_EQ(record.status == JobStatus::converged, alone.status == Status::converged);
    EXPECT_PRED2(same, record.kkt, alone.kkt);
    const bool start = key.kind == JobKind::start;
    EXPECT_EQ(record.error, start ? alone.error : alone.heldout_error);
    EXPECT_EQ(record.relative_error, start ? alone.relative_error : alone.heldout_relative_error);
    if (!start) continue;
    const RankSpectra all = store.spectra(key.rank);
    const bool columns = options.spectra == Side::H;
    const Matrix<T> spectra = columns ? alone.H : transposed(alone.W);
    for (Index p = 0; p < key.rank; ++p) {
      for (Index j = 0; j < spectra.cols(); ++j)
        ASSERT_EQ(all.spectra(key.number * key.rank + p, j), static_cast<double>(spectra(p, j)));
    }
    const JobResult<T> best = store.best(key.rank);
    if (best.record.key != key) continue;
    EXPECT_EQ(best.usages, columns ? alone.W : transposed(alone.H));
  }
}

TEST(SurveyBits, DenseDouble) {
  const Matrix<double> M = planted(40, 30, 3, 1, 0.1);
  SurveyOptions options = small_survey();
  options.job.threads = 3;
  expect_bits_of_factorize<double>(DenseData<double>(M.view()), options);
  options.spectra = Side::W;
  expect_bits_of_factorize<double>(DenseData<double>(M.view()), options);
}

TEST(SurveyBits, SparseFloat) {
  const Matrix<float> M = random_matrix<float>(50, 40, 2, 0.8);
  SurveyOptions options = small_survey();
  options.jobs = 2;
  options.job.threads = 4;
  expect_bits_of_factorize<float>(*to_sparse(M), options);
}

TEST(SurveyBits, OtherLossesAndPenalties) {
  const Matrix<double> M = planted(20, 15, 2, 3, 0.3);
  const DenseData<double> data(M.view());
  for (const char* const loss : {"kullback-leibler", "itakura-saito", "1.5"}) {
    SurveyOptions options = small_survey();
    options.ranks = {2};
    options.starts = 2;
    options.job.loss = loss;
    options.job.threads = 2;
    options.job.alpha_W = 1e-3;
    options.job.max_iterations = 50;
    expect_bits_of_factorize<double>(data, options);
  }
}

TEST(SurveyBits, MissingEntries) {
  Matrix<double> M = planted(30, 20, 2, 4, 0.1);
  for (Index k = 0; k < M.size(); k += 7) M.data()[k] = std::nan("");
  Weights<double> weights{.entries = take_missing(M.view())};
  SurveyOptions options = small_survey();
  options.ranks = {2, 3};
  options.job.threads = 2;
  const auto data =
      weighted<double>(std::make_unique<DenseData<double>>(std::as_const(M).view()), std::move(weights));
  expect_bits_of_factorize<double>(*data, options);
}

TEST(SurveyBits, MatricesOnDisk) {
  const Matrix<double> M = planted(100, 20, 2, 4, 0.1);
  SurveyOptions options = small_survey();
  options.ranks = {2, 3};
  options.heldout = Holdout::none;
  options.job.threads = 2;
  options.jobs = 3;
  options.job.max_iterations = 100;
  for (const bool sparse : {false, true}) {
    for (const Side side : {Side::H, Side::W}) {
      options.spectra = side;
      const StreamedData<double> data(std::make_unique<MemorySource<double>>(M, Blocks{.sparse = sparse}));
      expect_bits_of_factorize<double>(data, options);
      SurveyMemory<double> store;
      const SurveyTable table = survey<double>(data, options, store);
      EXPECT_EQ(table.ranks[1].starts, 4);
      EXPECT_NEAR(table.ranks[1].consensus_error, table.ranks[1].error_best, 0.1);
    }
  }
  options.spectra = Side::H;
  options.ranks = {2};
  options.job.loss = "kullback-leibler";
  expect_bits_of_factorize<double>(StreamedData<double>(std::make_unique<MemorySource<double>>(M, Blocks())),
                                   options);
}

TEST(SurveyBits, JobsShareTheirPassesOverAFile) {
  const Matrix<double> M = planted(100, 20, 2, 4, 0.1);
  SurveyOptions options = small_survey();
  options.ranks = {3};
  options.starts = 6;
  options.heldout = Holdout::none;
  options.job.threads = 2;
  options.job.tolerance = 0;
  options.job.max_iterations = 20;
  Index most = 10'000;  // passes
  for (const int jobs : {1, 3}) {
    options.jobs = jobs;
    const StreamedData<double> data(std::make_unique<MemorySource<double>>(M, Blocks()));
    SurveyMemory<double> store;
    make_jobs<double>(data, options, store);
    const Index passes = data.statistics().passes;
    EXPECT_LE(passes, most);
    most = passes / 2;
  }
}

TEST(SurveyBits, ResampledStarts) {
  const Matrix<double> M = planted(30, 20, 2, 4, 0.1);
  const DenseData<double> data(M.view());
  SurveyOptions options = small_survey();
  options.ranks = {2};
  options.spectra = Side::W;
  options.resampling = {.kind = Resampling::Kind::uniform, .width = 0.5};
  options.job.threads = 2;
  SurveyMemory<double> store;
  make_jobs<double>(data, options, store);
  const RankSpectra all = store.spectra(2);
  for (Index number = 0; number < options.starts; ++number) {
    const Options job = job_options(options, {2, JobKind::start, number});
    const Result<double> alone =
        factorize<double>(*resampled<double>(data, options.resampling, Side::W, job.seed), job);
    const JobRecord record = store.find({2, JobKind::start, number}).value();
    EXPECT_EQ(record.iterations, alone.iterations);
    for (Index j = 0; j < 30; ++j) EXPECT_EQ(all.spectra(2 * number + 1, j), alone.W(j, 1));
    EXPECT_NEAR(record.error, direct_error(M, alone), 1e-9);
    EXPECT_NEAR(record.relative_error, direct_error(M, alone) / frobenius(M), 1e-12);
    EXPECT_GT(std::abs(record.error - alone.error), 1e-3);
  }
  // What is held out is held out of M itself.
  const JobKey held{2, JobKind::heldout, 1};
  EXPECT_EQ(store.find(held)->error, factorize<double>(data, job_options(options, held)).heldout_error);
}

TEST(SurveyBits, BiCrossValidation) {
  const Matrix<double> M = planted(30, 20, 2, 4, 0.1);
  const DenseData<double> data(M.view());
  SurveyOptions options = small_survey();
  options.ranks = {2, 3};
  options.starts = 1;
  options.heldout = Holdout::bcv;
  options.job.threads = 2;
  SurveyMemory<double> store;
  const SurveyTable table = survey<double>(data, options, store);
  for (const RankSummary& rank : table.ranks) {
    double sum = 0;
    for (Index number = 0; number < 2; ++number) {
      const JobKey key{rank.rank, JobKind::bcv, number};
      const CrossValidated alone = cross_validate<double>(data, job_options(options, key));
      const JobRecord record = store.find(key).value();
      EXPECT_EQ(record.error, alone.error);
      EXPECT_EQ(record.relative_error, alone.relative_error);
      EXPECT_EQ(record.kkt, alone.kkt);
      EXPECT_EQ(record.iterations, alone.iterations);
      sum += alone.relative_error;
    }
    EXPECT_DOUBLE_EQ(rank.bcv, sum / 2);
    EXPECT_TRUE(std::isnan(rank.heldout));
  }
}

class SurveyTables : public testing::Test {
 protected:
  SurveyTable table(const SurveyOptions& options) {
    SurveyMemory<double> store;
    return survey<double>(data_, options, store);
  }
  const Matrix<double> M_ = planted(60, 40, 3, 8, 0.2);
  const DenseData<double> data_{M_.view()};
};

TEST_F(SurveyTables, AreTheSameForAnyNumberOfThreadsAndJobs) {
  SurveyOptions options = small_survey();
  const SurveyTable alone = table(options);
  for (const auto& [threads, jobs] : {std::pair(2, 0), std::pair(8, 0), std::pair(8, 3), std::pair(3, 1)}) {
    options.job.threads = threads;
    options.jobs = jobs;
    expect_same_table(table(options), alone);
  }
}

TEST_F(SurveyTables, FreeClustersDoNotHangOnThreads) {
  SurveyOptions options = small_survey();
  options.clusters.kind = ClusterKind::free;
  const SurveyTable alone = table(options);
  options.job.threads = 4;
  expect_same_table(table(options), alone);
}

TEST_F(SurveyTables, MoreStartsAndRanksChangeNoJob) {
  SurveyOptions options = small_survey();
  SurveyMemory<double> store;
  const SurveyTable few = survey<double>(data_, options, store);
  options.starts = 6;
  options.ranks = {1, 2, 3, 4};
  options.heldout_repeats = 3;
  const SurveyTable more = survey<double>(data_, options, store);
  std::size_t found = 0;
  for (const JobRecord& job : few.jobs) {
    const auto same_key = [&](const JobRecord& other) { return other.key == job.key; };
    const auto other = std::find_if(more.jobs.begin(), more.jobs.end(), same_key);
    ASSERT_NE(other, more.jobs.end());
    expect_same_job(job, *other);
    EXPECT_EQ(job.seconds, other->seconds);  // it was not made again
    ++found;
  }
  EXPECT_EQ(found, few.jobs.size());
  expect_same_table(more, table(options));
  // A smaller survey of the same store knows all starts.
  options.starts = 2;
  options.ranks = {3};
  const SurveyTable smaller = survey<double>(data_, options, store);
  EXPECT_EQ(smaller.ranks[0].starts, 6);
  EXPECT_EQ(smaller.jobs.size(), 9U);
}

TEST(Survey, SuggestsAPlantedRank) {
  // The mean of the noise is a component beside the three.
  const Matrix<double> M = planted(100, 60, 3, 21, 0.3);
  SurveyOptions options;
  options.ranks = {2, 3, 4, 5, 6};
  options.starts = 10;
  SurveyMemory<double> store;
  const SurveyTable found = survey<double>(DenseData<double>(M.view()), options, store);
  EXPECT_EQ(found.suggestion.rank, 4) << fmt::format("{}", fmt::join(found.suggestion.reasons, "\n"));
  for (const RankSummary& rank : found.ranks) EXPECT_EQ(rank.suggested, rank.rank == 4);
  EXPECT_GT(found.ranks[2].silhouette_min, 0.9);
  EXPECT_FALSE(found.stopped);
}

}  // namespace
}  // namespace anmf::test::survey_test
