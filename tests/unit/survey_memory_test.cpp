// SPDX-License-Identifier: MIT
// What a survey says that it will take.
#include <gtest/gtest.h>

#include "anmf/estimate.h"

namespace anmf::survey_memory_test {
namespace {

SurveyOptions some_survey() {
  Options job;
  job.method = "a-hals";
  return {.ranks = {2, 3, 5}, .starts = 7, .job = job};
}

TEST(SurveyMemory, PeakIsThatOfTheStagesAndTheStore) {
  const SurveyNeeds needs{.jobs = 3, .job = 10, .rank = 20, .store = 5};
  EXPECT_EQ(needs.peak(false), 30);
  EXPECT_EQ(needs.peak(true), 35);
}

TEST(SurveyMemory, JobsAtATime) {
  SurveyOptions options = some_survey();
  EXPECT_EQ(jobs_at_a_time(options, 4, SurveyInput::memory), 4);
  EXPECT_EQ(jobs_at_a_time(options, 4, SurveyInput::disk), 12);
  EXPECT_EQ(jobs_at_a_time(options, 100, SurveyInput::memory), 36);  // 3 (7 + 5) of them
  options.heldout = Holdout::none;
  EXPECT_EQ(jobs_at_a_time(options, 100, SurveyInput::memory), 21);
  options.jobs = 2;
  EXPECT_EQ(jobs_at_a_time(options, 100, SurveyInput::disk), 2);
}

TEST(SurveyMemory, MoreOfAnythingTakesMore) {
  const SurveyOptions options = some_survey();
  const SurveyNeeds few = survey_memory<double>(1000, 300, 300'000, options, 2);
  SurveyOptions more = options;
  more.starts = 70;
  const SurveyNeeds many = survey_memory<double>(1000, 300, 300'000, more, 2);
  EXPECT_EQ(few.job, many.job);
  EXPECT_GT(many.rank, few.rank);
  EXPECT_GT(many.store, few.store);
  more = options;
  more.resampling.kind = Resampling::Kind::poisson;
  more.heldout = Holdout::none;
  EXPECT_GT(survey_memory<double>(1000, 300, 300'000, more, 2).job, 2'400'000);
}

TEST(SurveyMemory, FlopsOfASurveyAreThoseOfItsJobs) {
  const SurveyOptions options = some_survey();
  double least = 0;
  for (const Index rank : options.ranks) {
    const IterationFlops one =
        job_flops(100, 60, 6000, options, {.rank = rank, .kind = JobKind::start, .number = 0});
    Options job = options.job;
    job.rank = rank;
    EXPECT_EQ(one.least, iteration_flops(100, 60, 6000, job).least);
    least += 12 * one.least;  // as many flops with entries held out
  }
  EXPECT_DOUBLE_EQ(survey_flops(100, 60, 6000, options).least, least);
}

}  // namespace
}  // namespace anmf::survey_memory_test
