// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string_view>

#include "anmf/error.h"
#include "anmf/survey.h"
#include "loss/check_loss.h"
#include "outer/plan.h"
#include "survey/cross_validation.h"
#include "survey/resampled.h"
#include "survey/survey_limits.h"
#include "validate/options.h"

namespace anmf {
namespace {

void check_ranks(const std::vector<Index>& ranks, Index rows, Index cols) {
  if (ranks.empty())
    throw InvalidInput("ranks is empty; name at least one number of components, such as 2 to 10.");
  const Index most = std::min({rows, cols, kMostComponents});
  for (const Index rank : ranks) {
    if (rank >= 1 && rank <= most) continue;
    throw InvalidInput(fmt::format("ranks has {}; for a matrix of {} x {} ranks must lie in [1, {}].", rank,
                                   rows, cols, most));
  }
  const auto descent = std::ranges::adjacent_find(ranks, std::greater_equal<>());
  if (descent != ranks.end()) {
    throw InvalidInput(fmt::format("ranks has {} before {}; they must ascend, no two of them equal.",
                                   *descent, *(descent + 1)));
  }
}

void check_count(std::string_view name, Index value, Index least, Index most) {
  if (value >= least && value <= most) return;
  throw InvalidInput(fmt::format("{} = {}; it must lie in [{}, {}].", name, value, least, most));
}

void check_clusters(const ClusterOptions& clusters) {
  const double threshold = clusters.density_threshold.value_or(2);
  if (!(threshold > 0) || !std::isfinite(threshold)) {
    throw InvalidInput(
        fmt::format("density_threshold = {}; it must be above 0, and 2 leaves out no spectrum.", threshold));
  }
  const bool is_share = clusters.neighbourhood > 0 && clusters.neighbourhood <= 1;
  if (!is_share) {
    throw InvalidInput(fmt::format("neighbourhood = {}; it is a share of the starts and must lie in (0, 1].",
                                   clusters.neighbourhood));
  }
}

void check_held_out(const SurveyOptions& options) {
  if (options.heldout == Holdout::none) return;
  check_count("heldout_repeats", options.heldout_repeats, 1, kMostOfAKind - 1);
  if (options.heldout == Holdout::bcv) return;
  const bool is_share = options.heldout_fraction > 0 && options.heldout_fraction < 1;
  if (!is_share) {
    throw InvalidInput(
        fmt::format("heldout_fraction = {}; it is a share of the entries and must lie in (0, 1).",
                    options.heldout_fraction));
  }
}

/// What the survey decides itself, or cannot compare.
void check_job(const Options& job) {
  if (job.explore == Explore::on) {
    throw InvalidInput(
        "explore = on does not go with a survey: its starts tell how different the minima are, and an "
        "exploration hides it. Leave explore out.");
  }
  if (std::isfinite(job.time_limit)) {
    throw InvalidInput(
        fmt::format("time_limit = {} does not go with a survey: what a job finds would depend on how busy "
                    "the machine is. "
                    "Choose max_iterations.",
                    job.time_limit));
  }
  if (job.rho == RhoSource::measured) {
    throw InvalidInput(
        "rho = measured does not go with a survey: jobs would not have the same bits when they are repeated. "
        "Choose rho = flops.");
  }
  if (job.init != Init::scaled_random && job.init != Init::random) {
    throw InvalidInput(fmt::format(
        "init = {} does not go with a survey: its starts have to differ, and this one is the same "
        "every time. Choose scaled-random or random.",
        to_string(job.init)));
  }
  if (job.heldout != 0) {
    throw InvalidInput(
        fmt::format("heldout = {} of a job does not go with a survey, which hides entries by itself; choose "
                    "heldout_fraction.",
                    job.heldout));
  }
}

/// What factorize() checks before any work, for a job of the largest rank.
template <class T>
void check_factorization(const Data<T>& data, const Options& job) {
  validate::options(job);
  validate::sizes(data.rows(), data.cols(), job.rank);
  Weighing weighing = weighing_of(data);
  weighing.kind.weighted = weighing.kind.weighted || job.heldout > 0;
  const Plan plan = make_plan<T>(job, data.rows(), data.cols(), data.nonzeros(), weighing);
  validate::weights(data, job);
  validate::signs(data, job, plan.method, plan.beta);
  if (job.heldout > 0 && job.compress == Compress::on) {
    throw InvalidInput(
        "compress = on does not go with entries that are held out: a compression is made from all entries of "
        "M. Choose heldout = none.");
  }
  if (job.heldout > 0 && data.storage() != Storage::dense && data.storage() != Storage::sparse) {
    throw InvalidInput(
        fmt::format("To hold entries out needs a matrix in the memory of one process; this one is {}. Choose "
                    "heldout = none.",
                    to_string(data.storage())));
  }
}

/// Usages of the consensus are fitted sample by sample, unless all samples have the same problem.
template <class T>
void check_samples(const Data<T>& data, Side spectra, double beta) {
  const Side samples = other(spectra);
  const bool alike = beta == 2 && data.counted() == Counted::all && data.line_weights(spectra).empty();
  if (alike || data.whole_rows(samples)) return;
  throw InvalidInput(
      fmt::format("A survey with losses other than frobenius, or with weights, fits samples one by one, and "
                  "these are {0} "
                  "of M, which is read by {1}: read it into memory, or write it by {0}.",
                  samples == Side::W ? "rows" : "columns", samples == Side::W ? "columns" : "rows"));
}

}  // namespace

template <class T>
void check_survey(const Data<T>& data, const SurveyOptions& options) {
  validate::data(data);
  check_ranks(options.ranks, data.rows(), data.cols());
  check_count("starts", options.starts, 1, kMostOfAKind - 1);
  check_count("consensus_rows", options.consensus_rows, 2, Index{1} << 16U);
  check_held_out(options);
  check_clusters(options.clusters);
  check_job(options.job);
  if (options.jobs < 0) throw InvalidInput(fmt::format("jobs = {}; it must be 0 or more.", options.jobs));
  const Index largest = options.ranks.back();
  check_factorization(data, job_options(options, {.rank = largest}));
  if (options.heldout == Holdout::speckled)
    check_factorization(data, job_options(options, {.rank = largest, .kind = JobKind::heldout}));
  const double beta = beta_of(options.job.loss);
  if (beta != 2) check_loss(data, beta);
  check_samples(data, options.spectra, beta);
  if (options.resampling.kind != Resampling::Kind::none) check_resampling(data, options.resampling);
  if (options.heldout == Holdout::bcv) check_cross_validation(data, largest);
}

template void check_survey(const Data<float>&, const SurveyOptions&);
template void check_survey(const Data<double>&, const SurveyOptions&);

}  // namespace anmf
