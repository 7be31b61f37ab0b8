// SPDX-License-Identifier: MIT
// Which jobs a survey has, and the options of each.
//
//     seed of a job    the top 53 bits, which JSON and JavaScript keep, of Philox(seed, kJobs, place),
//                      place = k 2^32 + kind 2^30 + number
//     seed of a mask   those of Philox(seed, kMasks, number), the same for all ranks
//
// so that neither more ranks nor more starts change the seed of any other job.
#include <algorithm>

#include "anmf/survey.h"
#include "core/random.h"
#include "survey/survey_limits.h"

namespace anmf {
namespace {

constexpr Index kStartsInARow = 10;

std::uint64_t top_bits(std::uint64_t seed, std::uint64_t stream, Index place) {
  constexpr unsigned kDropped = 11;
  return random_bits(seed, stream, place)[0] >> kDropped;
}

Index place_of_seed(const JobKey& key) {
  return key.rank * (Index{1} << 32U) + static_cast<Index>(key.kind) * kMostOfAKind + key.number;
}

}  // namespace

Options survey_job() {
  constexpr Index kSurveyIterations = 5000;
  Options options;
  options.max_iterations = kSurveyIterations;
  options.explore = Explore::off;
  return options;
}

Options job_options(const SurveyOptions& options, const JobKey& key) {
  Options job = options.job;
  job.rank = key.rank;
  job.explore = Explore::off;
  job.heldout = 0;
  job.heldout_seed = 0;
  job.seed = top_bits(options.seed, streams::kJobs, place_of_seed(key));
  const std::uint64_t mask = top_bits(options.seed, streams::kMasks, key.number);
  if (key.kind == JobKind::heldout) {
    job.heldout = options.heldout_fraction;
    job.heldout_seed = mask;
  }
  // The halves hang on the seed, and ranks are compared on the same ones.
  if (key.kind == JobKind::bcv) job.seed = mask;
  return job;
}

std::vector<JobKey> survey_jobs(const SurveyOptions& options) {
  std::vector<Index> ranks = options.ranks;
  std::ranges::reverse(ranks);
  std::vector<JobKey> jobs;
  const auto add_starts = [&](Index begin) {
    const Index end = std::min(options.starts, begin + kStartsInARow);
    for (const Index rank : ranks) {
      for (Index number = begin; number < end; ++number)
        jobs.push_back({.rank = rank, .kind = JobKind::start, .number = number});
    }
  };
  add_starts(0);
  if (options.heldout != Holdout::none) {
    const JobKind kind = options.heldout == Holdout::bcv ? JobKind::bcv : JobKind::heldout;
    for (Index repeat = 0; repeat < options.heldout_repeats; ++repeat) {
      for (const Index rank : ranks) jobs.push_back({.rank = rank, .kind = kind, .number = repeat});
    }
  }
  for (Index begin = kStartsInARow; begin < options.starts; begin += kStartsInARow) add_starts(begin);
  return jobs;
}

}  // namespace anmf
