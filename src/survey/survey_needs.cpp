// SPDX-License-Identifier: MIT
// With k components, N = S k spectra of S starts over n features, and m samples, a rank that is summed up has
//
//     labels of all starts, S m numbers of two bytes;
//     spectra and unit spectra, N n doubles each, and some rows of the products of all, N numbers each;
//     the consensus of s samples, s^2 floats: shares, distances, and s^2 / 2 distances in double;
//     usages and spectra of the best start, and those that are fitted to the clusters.
#include <algorithm>

#include "anmf/estimate.h"
#include "consensus/unit_spectra.h"
#include "init/start_factors.h"
#include "survey/cross_validation.h"
#include "survey/resampled.h"
#include "survey/survey_limits.h"

namespace anmf {
namespace {

double number(Index count) { return static_cast<double>(count); }

Index largest_rank(const SurveyOptions& options) {
  return options.ranks.empty() ? 0 : *std::ranges::max_element(options.ranks);
}

bool has_kind(const SurveyOptions& options, JobKind kind) {
  if (kind == JobKind::start) return options.starts > 0;
  const Holdout needed = kind == JobKind::heldout ? Holdout::speckled : Holdout::bcv;
  return options.heldout == needed && options.heldout_repeats > 0;
}

Index jobs_of_a_rank(const SurveyOptions& options) {
  return options.starts + (options.heldout == Holdout::none ? 0 : options.heldout_repeats);
}

/// Of one job, the survey's own choices made.
Options options_of_job(const SurveyOptions& options, Index rank, JobKind kind) {
  Options job = options.job;
  job.rank = rank;
  job.explore = Explore::off;
  job.heldout = kind == JobKind::heldout ? options.heldout_fraction : 0;
  return job;
}

double most(const RunMemory& run) { return std::max({run.start, run.compression, run.loop, run.end}); }

/// What is known of M and the survey.
struct Sizes {
  Index rows;
  Index cols;
  Index nonzeros;
  Index samples;
  Index features;
};

template <class T>
double job_bytes(const Sizes& M, const SurveyOptions& options, Index rank, JobKind kind, int threads) {
  const Options job = options_of_job(options, rank, kind);
  if (kind == JobKind::bcv) return cross_validation_bytes<T>(M.rows, M.cols, M.nonzeros, job);
  double bytes = most(run_memory<T>(M.rows, M.cols, M.nonzeros, job, threads));
  if (kind != JobKind::start) return bytes;
  const double factors = number((M.rows + M.cols) * rank) * sizeof(T);
  // Spectra in columns of W are turned.
  const double turned = options.spectra == Side::W ? factors : 0;
  bytes = std::max(bytes, factors + turned + number(M.samples) * sizeof(std::uint16_t));
  if (options.resampling.kind != Resampling::Kind::none)
    bytes += resampled_bytes<T>(M.rows, M.cols, M.nonzeros);
  return bytes;
}

/// Whether a rank is looked at again with all spectra, beside what was found without some.
bool may_leave_out(const ClusterOptions& clusters) {
  const bool free = clusters.kind == ClusterKind::free;
  return clusters.density_threshold.value_or(free ? 0 : kLeavesOutNone) < kLeavesOutNone;
}

template <class T>
double rank_bytes(const Sizes& M, const SurveyOptions& options, Index rank, int threads) {
  const Index count = options.starts * rank;
  const double spectra = number(count) * number(M.features) * sizeof(double);
  const double labels = number(options.starts * M.samples) * sizeof(std::uint16_t);
  const double tall = number(M.samples * rank) * sizeof(T);
  const double wide = number(M.features * rank) * sizeof(T);
  const double rows = number(std::min(M.samples, options.consensus_rows));
  const double kept = rows * rows * sizeof(float);
  const double products = number(product_rows(count).largest()) * number(count) * sizeof(double) * threads;
  // The best start is looked at, its usages by columns too.
  const double best = spectra + 2 * tall + wide;
  // How different the starts are: by their spectra, and by shares, distances and pairs of samples.
  const double spread = spectra + std::max(spectra + products, 3 * kept);
  // Clusters of unit spectra, and the usages that fit them, whose error is looked at.
  const double copy = options.clusters.kind == ClusterKind::free ? spectra : 0;
  const double clusters = kept + spectra + std::max({spectra, products, copy, 3 * tall + 2 * wide});
  const double found = may_leave_out(options.clusters) ? kept + tall + wide : 0;
  return labels + found + std::max({best, spread, clusters});
}

template <class T>
double store_bytes(const Sizes& M, const SurveyOptions& options, Index rank) {
  const double spectra = number(options.starts * rank);
  const double tall = number(M.samples * rank) * sizeof(T);
  const double wide = number(M.features * rank) * sizeof(T);
  const double rows = number(std::min(M.samples, options.consensus_rows));
  constexpr double kNumbersOfSpectrum = 4;  // density, silhouettes and label
  const double jobs = number(options.starts) * (wide + number(M.samples) * sizeof(std::uint16_t)) + tall;
  return jobs + tall + wide + number(M.features * rank) * sizeof(double) + rows * rows * sizeof(float) +
         kNumbersOfSpectrum * sizeof(double) * spectra;
}

void add(IterationFlops& sum, const IterationFlops& one, double times) {
  sum.least += times * one.least;
  if (sum.most && one.most) {
    *sum.most += times * *one.most;
  } else {
    sum.most.reset();
  }
}

}  // namespace

double SurveyNeeds::peak(bool in_memory) const {
  return std::max(jobs * job, rank) + (in_memory ? store : 0);
}

int jobs_at_a_time(const SurveyOptions& options, int threads, SurveyInput input) {
  // Products with more columns cost as much as several of these.
  constexpr Index kColumnsOfAPass = 64;
  Index wanted = options.jobs > 0 ? options.jobs : threads;
  if (options.jobs == 0 && input == SurveyInput::disk)
    wanted = std::max(wanted, kColumnsOfAPass / std::max<Index>(1, largest_rank(options)));
  const Index all = std::ssize(options.ranks) * jobs_of_a_rank(options);
  return static_cast<int>(std::clamp<Index>(wanted, 1, std::max<Index>(1, all)));
}

template <class T>
SurveyNeeds survey_memory(Index rows, Index cols, Index nonzeros, const SurveyOptions& options, int threads,
                          SurveyInput input) {
  const bool columns = options.spectra == Side::H;
  const Sizes M{.rows = rows,
                .cols = cols,
                .nonzeros = nonzeros,
                .samples = columns ? rows : cols,
                .features = columns ? cols : rows};
  SurveyNeeds needs{.jobs = jobs_at_a_time(options, threads, input)};
  const int of_job = std::max(1, threads / needs.jobs);
  for (const Index rank : options.ranks) {
    for (const JobKind kind : {JobKind::start, JobKind::heldout, JobKind::bcv}) {
      if (has_kind(options, kind))
        needs.job = std::max(needs.job, job_bytes<T>(M, options, rank, kind, of_job));
    }
    needs.rank = std::max(needs.rank, rank_bytes<T>(M, options, rank, threads));
    needs.store += store_bytes<T>(M, options, rank);
  }
  constexpr double kBytesOfRecord = 300;
  needs.store += kBytesOfRecord * number(std::ssize(options.ranks) * jobs_of_a_rank(options));
  return needs;
}

IterationFlops job_flops(Index rows, Index cols, Index nonzeros, const SurveyOptions& options,
                         const JobKey& key) {
  const Options job = options_of_job(options, key.rank, key.kind);
  if (key.kind != JobKind::bcv) return iteration_flops(rows, cols, nonzeros, job);
  IterationFlops quarters{.least = 0, .most = 0};  // four of them, with a quarter of the entries each
  const Index quarter = std::max<Index>(1, nonzeros / 4);
  add(quarters, iteration_flops(std::max<Index>(1, rows / 2), std::max<Index>(1, cols / 2), quarter, job), 4);
  return quarters;
}

IterationFlops survey_flops(Index rows, Index cols, Index nonzeros, const SurveyOptions& options) {
  IterationFlops sum{.least = 0, .most = 0};
  for (const Index rank : options.ranks) {
    for (const JobKind kind : {JobKind::start, JobKind::heldout, JobKind::bcv}) {
      if (!has_kind(options, kind)) continue;
      const Index count = kind == JobKind::start ? options.starts : options.heldout_repeats;
      add(sum, job_flops(rows, cols, nonzeros, options, {.rank = rank, .kind = kind}), number(count));
    }
  }
  return sum;
}

template SurveyNeeds survey_memory<float>(Index, Index, Index, const SurveyOptions&, int, SurveyInput);
template SurveyNeeds survey_memory<double>(Index, Index, Index, const SurveyOptions&, int, SurveyInput);

}  // namespace anmf
