// SPDX-License-Identifier: MIT
// With k components, N = S k spectra of S starts over n features, and m samples, a rank that is summed up has
//
//     spectra and unit spectra     2 N n                 unit spectra again, centred or of clusters    N n
//     labels of S starts           S m, of two bytes     consensus of s samples   s^2 float, s^2/2 doubles
//     usages and spectra of the best start, those fitted, and what the fit takes
#include <algorithm>

#include "anmf/estimate.h"
#include "consensus/unit_spectra.h"
#include "init/start_factors.h"
#include "survey/cross_validation.h"
#include "survey/resampled.h"

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

template <class T>
double rank_bytes(const Sizes& M, const SurveyOptions& options, Index rank, int threads) {
  const double spectra = number(options.starts * rank);
  const double tall = number(M.samples * rank) * sizeof(T);
  const double wide = number(M.features * rank) * sizeof(T);
  const double rows = number(std::min(M.samples, options.consensus_rows));
  const double held = spectra * number(M.features) * sizeof(double) +
                      number(options.starts * M.samples) * sizeof(std::uint16_t);
  const double unit = spectra * number(M.features) * sizeof(double);
  const double products =
      number(product_rows(options.starts * rank).largest()) * spectra * sizeof(double) * threads;
  const double pairs = rows * rows * (2 * sizeof(float) + sizeof(double) / 2.0);
  // The best start, the product with M and the usages that are fitted by it.
  const double fit = tall + wide + 2 * tall + wide;
  return held + std::max({2 * unit + products, pairs + tall + wide, fit + unit});
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
