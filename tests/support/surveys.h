// SPDX-License-Identifier: MIT
// What tests of surveys share: a small survey, and what must be equal in two of them.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <vector>

#include "anmf/survey.h"

namespace anmf::test {

/// Three ranks, a few starts and masks.
inline SurveyOptions small_survey() {
  SurveyOptions options;
  options.ranks = {1, 3, 4};
  options.starts = 4;
  options.seed = 7;
  options.heldout_repeats = 2;
  options.job.max_iterations = 300;
  options.job.threads = 1;
  return options;
}

/// Equal bits, or both not a number.
inline bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

/// All but the seconds.
inline void expect_same_job(const JobRecord& a, const JobRecord& b) {
  EXPECT_EQ(a.key, b.key);
  EXPECT_EQ(a.seed, b.seed);
  EXPECT_EQ(a.status, b.status);
  EXPECT_EQ(a.iterations, b.iterations);
  EXPECT_PRED2(same, a.error, b.error);
  EXPECT_PRED2(same, a.relative_error, b.relative_error);
  EXPECT_PRED2(same, a.kkt, b.kkt);
  EXPECT_EQ(a.message, b.message);
}

inline void expect_same_rank(const RankSummary& a, const RankSummary& b) {
  EXPECT_EQ(a.rank, b.rank);
  EXPECT_EQ(a.starts, b.starts);
  EXPECT_EQ(a.failed, b.failed);
  EXPECT_EQ(a.converged, b.converged);
  EXPECT_EQ(a.outliers, b.outliers);
  EXPECT_EQ(a.suggested, b.suggested);
  for (double RankSummary::* const number :
       {&RankSummary::error_best, &RankSummary::error_median, &RankSummary::error_worst,
        &RankSummary::explained, &RankSummary::silhouette, &RankSummary::silhouette_min,
        &RankSummary::silhouette_cosine, &RankSummary::instability, &RankSummary::cophenetic,
        &RankSummary::dispersion, &RankSummary::sparseness_w, &RankSummary::sparseness_h,
        &RankSummary::consensus_error, &RankSummary::heldout, &RankSummary::heldout_se, &RankSummary::bcv})
    EXPECT_PRED2(same, a.*number, b.*number);
}

inline void expect_same_component(const ComponentSummary& a, const ComponentSummary& b) {
  EXPECT_EQ(a.rank, b.rank);
  EXPECT_EQ(a.component, b.component);
  EXPECT_EQ(a.members, b.members);
  EXPECT_EQ(a.parent, b.parent);
  EXPECT_EQ(a.usage, b.usage);
  EXPECT_PRED2(same, a.silhouette, b.silhouette);
  EXPECT_PRED2(same, a.spread, b.spread);
  EXPECT_PRED2(same, a.parent_cosine, b.parent_cosine);
}

inline void expect_same_table(const SurveyTable& a, const SurveyTable& b) {
  ASSERT_EQ(a.ranks.size(), b.ranks.size());
  for (std::size_t i = 0; i < a.ranks.size(); ++i) expect_same_rank(a.ranks[i], b.ranks[i]);
  ASSERT_EQ(a.components.size(), b.components.size());
  for (std::size_t i = 0; i < a.components.size(); ++i)
    expect_same_component(a.components[i], b.components[i]);
  ASSERT_EQ(a.jobs.size(), b.jobs.size());
  for (std::size_t i = 0; i < a.jobs.size(); ++i) expect_same_job(a.jobs[i], b.jobs[i]);
  EXPECT_EQ(a.suggestion.rank, b.suggestion.rank);
  EXPECT_EQ(a.suggestion.reasons, b.suggestion.reasons);
  EXPECT_EQ(a.suggestion.alternatives, b.suggestion.alternatives);
  EXPECT_EQ(a.notes, b.notes);
  EXPECT_EQ(a.stopped, b.stopped);
}

}  // namespace anmf::test
