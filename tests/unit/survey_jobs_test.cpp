// SPDX-License-Identifier: MIT
// Which jobs a survey has, in which order, with which options, and what it refuses.
#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "anmf/survey.h"
#include "core/random.h"
#include "support/bare_operator.h"
#include "support/files_and_messages.h"
#include "support/memory_source.h"
#include "support/problems.h"
#include "support/surveys.h"

namespace anmf::test::survey_jobs_test {

using io_test::expect_phrase;
using io_test::message_of;

namespace {

TEST(SurveyJobs, TenStartsOfEveryRankThenWhatIsHeldOutThenTenMore) {
  SurveyOptions options;
  options.ranks = {2, 5};
  options.starts = 12;
  options.heldout_repeats = 2;
  std::vector<JobKey> expected;
  for (const Index rank : {5, 2}) {
    for (Index start = 0; start < 10; ++start) expected.push_back({rank, JobKind::start, start});
  }
  for (Index repeat = 0; repeat < 2; ++repeat) {
    for (const Index rank : {5, 2}) expected.push_back({rank, JobKind::heldout, repeat});
  }
  for (const Index rank : {5, 2}) {
    for (Index start = 10; start < 12; ++start) expected.push_back({rank, JobKind::start, start});
  }
  EXPECT_EQ(survey_jobs(options), expected);

  options.heldout = Holdout::none;
  EXPECT_EQ(survey_jobs(options).size(), 24U);
  options.heldout = Holdout::bcv;
  options.starts = 3;
  const std::vector<JobKey> jobs = survey_jobs(options);
  ASSERT_EQ(jobs.size(), 10U);
  EXPECT_EQ(jobs[6], (JobKey{5, JobKind::bcv, 0}));
}

TEST(SurveyJobs, SeedsHangOnTheJobAlone) {
  SurveyOptions options;
  options.ranks = {2, 3, 4};
  options.starts = 100;
  options.seed = 11;
  std::set<std::uint64_t> seeds;
  for (const JobKey& key : survey_jobs(options)) {
    const Options job = job_options(options, key);
    EXPECT_LT(job.seed, std::uint64_t{1} << 53U);
    EXPECT_EQ(job.rank, key.rank);
    EXPECT_EQ(job.explore, Explore::off);
    seeds.insert(job.seed);
  }
  EXPECT_EQ(seeds.size(), survey_jobs(options).size());
  const JobKey key{3, JobKind::start, 17};
  EXPECT_EQ(job_options(options, key).seed,
            random_bits(11, streams::kJobs, 3 * (Index{1} << 32U) + 17)[0] >> 11U);
  SurveyOptions other = options;
  other.ranks = {3};
  other.starts = 18;
  other.heldout = Holdout::none;
  EXPECT_EQ(job_options(other, key).seed, job_options(options, key).seed);
  other.seed = 12;
  EXPECT_NE(job_options(other, key).seed, job_options(options, key).seed);
}

TEST(SurveyJobs, MasksAreTheSameForAllRanks) {
  const SurveyOptions options = small_survey();
  const Options first = job_options(options, {3, JobKind::heldout, 1});
  const Options second = job_options(options, {4, JobKind::heldout, 1});
  EXPECT_EQ(first.heldout, 0.1);
  EXPECT_EQ(first.heldout_seed, second.heldout_seed);
  EXPECT_NE(first.seed, second.seed);
  EXPECT_NE(first.heldout_seed, job_options(options, {3, JobKind::heldout, 0}).heldout_seed);
  const Options start = job_options(options, {3, JobKind::start, 1});
  EXPECT_EQ(start.heldout, 0);
  EXPECT_EQ(start.heldout_seed, 0U);
  EXPECT_NE(start.seed, first.seed);
  // The halves of bi-cross-validation hang on the seed.
  EXPECT_EQ(job_options(options, {3, JobKind::bcv, 1}).seed, job_options(options, {4, JobKind::bcv, 1}).seed);
}

TEST(SurveyJobs, DefaultsAreThoseOfLongRunsWithoutExploration) {
  const Options job = survey_job();
  EXPECT_EQ(job.max_iterations, 5000);
  EXPECT_EQ(job.explore, Explore::off);
  EXPECT_EQ(job.method, "auto");
}

class CheckSurvey : public testing::Test {
 protected:
  template <class Change>
  std::string message(const Change& change) {
    SurveyOptions options = small_survey();
    change(options);
    return message_of<InvalidInput>([&] { check_survey<double>(data_, options); });
  }
  const Matrix<double> M_ = random_matrix(12, 9, 1);
  const DenseData<double> data_{M_.view()};
};

TEST_F(CheckSurvey, TakesWhatGoesTogether) { EXPECT_NO_THROW(check_survey<double>(data_, small_survey())); }

TEST_F(CheckSurvey, SaysWhatIsOutOfRange) {
  using S = SurveyOptions;
  const std::vector<std::pair<std::function<void(S&)>, std::string>> cases = {
      {[](S& s) { s.ranks = {}; }, "ranks is empty"},
      {[](S& s) { s.ranks = {0, 2}; }, "ranks has 0"},
      {[](S& s) { s.ranks = {2, 10}; }, "[1, 9]"},
      {[](S& s) { s.ranks = {3, 2}; }, "3 before 2"},
      {[](S& s) { s.ranks = {2, 2}; }, "2 before 2"},
      {[](S& s) { s.starts = 0; }, "starts = 0"},
      {[](S& s) { s.heldout_repeats = 0; }, "heldout_repeats = 0"},
      {[](S& s) { s.heldout_fraction = 1; }, "heldout_fraction = 1"},
      {[](S& s) { s.heldout_fraction = std::nan(""); }, "heldout_fraction = nan"},
      {[](S& s) { s.clusters.density_threshold = 0; }, "density_threshold = 0"},
      {[](S& s) { s.clusters.neighbourhood = 0; }, "neighbourhood = 0"},
      {[](S& s) { s.clusters.neighbourhood = 1.5; }, "neighbourhood = 1.5"},
      {[](S& s) { s.consensus_rows = 1; }, "consensus_rows = 1"},
      {[](S& s) { s.jobs = -1; }, "jobs = -1"},
      {[](S& s) { s.job.threads = -1; }, "threads = -1"},
      {[](S& s) { s.job.max_iterations = -1; }, "max_iterations = -1"},
      {[](S& s) { s.job.method = "magic"; }, "magic"},
      {[](S& s) { s.job.explore = Explore::on; }, "explore = on does not go"},
      {[](S& s) { s.job.time_limit = 10; }, "time_limit = 10 does not go"},
      {[](S& s) { s.job.rho = RhoSource::measured; }, "rho = measured does not go"},
      {[](S& s) { s.job.init = Init::spa; }, "init = spa does not go"},
      {[](S& s) { s.job.heldout = 0.2; }, "heldout_fraction"},
      {[](S& s) { s.job.compress = Compress::on; }, "held out"},
      {[](S& s) {
         s.job.loss = "itakura-saito";
         s.job.method = "a-hals";
       },
       "a-hals"},
  };
  for (const auto& [change, phrase] : cases) expect_phrase(message(change), phrase);
}

TEST_F(CheckSurvey, HoldsEntriesOutOfMatricesInMemoryOnly) {
  const BareOperator<double> products(M_);
  SurveyOptions options = small_survey();
  expect_phrase(message_of<InvalidInput>([&] { check_survey<double>(products, options); }), "heldout = none");
  options.heldout = Holdout::none;
  EXPECT_NO_THROW(check_survey<double>(products, options));
}

TEST_F(CheckSurvey, FitsSamplesOneByOneOnlyWhereTheyAreWhole) {
  const StreamedData<double> by_rows(
      std::make_unique<MemorySource<double>>(M_, Blocks{.layout = Layout::row_major}));
  SurveyOptions options = small_survey();
  options.heldout = Holdout::none;
  options.job.loss = "kullback-leibler";
  EXPECT_NO_THROW(check_survey<double>(by_rows, options));
  options.spectra = Side::W;
  expect_phrase(message_of<InvalidInput>([&] { check_survey<double>(by_rows, options); }),
                "these are columns of M, which is read by rows");
  options.job.loss = "frobenius";
  EXPECT_NO_THROW(check_survey<double>(by_rows, options));
}

TEST_F(CheckSurvey, KnowsWhatALossNeeds) {
  Matrix<double> zero = M_;
  zero(3, 4) = 0;
  const DenseData<double> data(zero.view());
  SurveyOptions options = small_survey();
  options.job.loss = "itakura-saito";
  expect_phrase(message_of<InvalidInput>([&] { check_survey<double>(data, options); }), "row 3, column 4");
}

}  // namespace
}  // namespace anmf::test::survey_jobs_test
