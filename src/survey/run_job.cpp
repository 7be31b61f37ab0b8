// SPDX-License-Identifier: MIT
// The strongest component of sample i is argmax_p u_ip ||h_p||_1, of usages u and spectra h: without the norm
// it would hang on how the scale is divided between both factors.
#include "survey/run_job.h"

#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "anmf/factorize.h"
#include "anmf/nnls.h"
#include "survey/cross_validation.h"
#include "survey/resampled.h"

namespace anmf {
namespace {

template <class T>
std::vector<std::uint16_t> strongest_components(const Matrix<T>& usages, const Matrix<T>& spectra) {
  std::vector<double> sizes(static_cast<std::size_t>(spectra.rows()));
  for (Index p = 0; p < spectra.rows(); ++p) {
    for (Index j = 0; j < spectra.cols(); ++j)
      sizes[static_cast<std::size_t>(p)] += std::abs(static_cast<double>(spectra(p, j)));
  }
  std::vector<std::uint16_t> labels(static_cast<std::size_t>(usages.rows()));
  for (Index i = 0; i < usages.rows(); ++i) {
    double most = 0;
    for (Index p = 0; p < usages.cols(); ++p) {
      const double share = static_cast<double>(usages(i, p)) * sizes[static_cast<std::size_t>(p)];
      if (share <= most) continue;
      most = share;
      labels[static_cast<std::size_t>(i)] = static_cast<std::uint16_t>(p + 1);
    }
  }
  return labels;
}

/// With the scales that normalised factors have lost.
template <class T>
void take_scales(Matrix<T>& usages, const std::vector<double>& scales) {
  for (Index i = 0; i < usages.rows(); ++i) {
    for (Index p = 0; p < usages.cols(); ++p)
      usages(i, p) = static_cast<T>(static_cast<double>(usages(i, p)) * scales[static_cast<std::size_t>(p)]);
  }
}

JobStatus job_status(Status status) {
  return status == Status::converged ? JobStatus::converged : JobStatus::iteration_limit;
}

JobRecord record_of(const JobKey& key, const Options& options, const CrossValidated& quarters) {
  return {.key = key,
          .seed = options.seed,
          .status = job_status(quarters.status),
          .iterations = quarters.iterations,
          .error = quarters.error,
          .relative_error = quarters.relative_error,
          .kkt = quarters.kkt};
}

/// Of M itself, where something else was factorized.
template <class T>
void take_errors(const Data<T>& data, const Options& job, const Result<T>& result, ThreadPool& pool,
                 JobRecord& record) {
  const FitOptions fit{.loss = job.loss, .threads = pool.threads()};
  const Interrupt interrupt = [&pool] { pool.look(); };
  Matrix<T> W = result.W;
  take_scales(W, result.scale);
  record.error = fit_error<T>(data, std::move(W), result.H.view(), fit, interrupt);
  const double reference = reference_error(data, fit, interrupt);
  record.relative_error = reference > 0 ? record.error / reference : 0;
}

/// Nobody looks at the trace of a job.
template <class T>
class Unseen final : public Observer<T> {
 public:
  using Action = typename Observer<T>::Action;
  Action on_iteration(const IterationRecord& /*record*/, ConstMatrixView<T> /*W*/,
                      ConstMatrixView<T> /*Ht*/) override {
    return Action::proceed;
  }
  [[nodiscard]] bool wants_factors() const override { return false; }
  [[nodiscard]] bool wants_heldout() const override { return false; }
};

template <class T>
JobRecord record_of(const JobKey& key, const Options& options, const Result<T>& result) {
  const bool start = key.kind == JobKind::start;
  return {.key = key,
          .seed = options.seed,
          .status = job_status(result.status),
          .iterations = result.iterations,
          .error = start ? result.error : result.heldout_error,
          .relative_error = start ? result.relative_error : result.heldout_relative_error,
          .kkt = result.kkt};
}

}  // namespace

template <class T>
JobResult<T> run_job(const Data<T>& data, const SurveyOptions& options, const JobKey& key, ThreadPool& pool) {
  const Options job = job_options(options, key);
  if (key.kind == JobKind::bcv)
    return {.record = record_of(key, job, cross_validate<T>(data, job, nullptr, &pool))};
  const bool drawn = key.kind == JobKind::start && options.resampling.kind != Resampling::Kind::none;
  std::unique_ptr<Data<T>> copy;
  if (drawn) copy = resampled(data, options.resampling, options.spectra, job.seed);
  Unseen<T> unseen;
  Result<T> result = factorize<T>(drawn ? *copy : data, job, {}, &unseen, nullptr, &pool);
  copy.reset();
  JobResult<T> made{.record = record_of(key, job, result)};
  if (key.kind != JobKind::start) return made;
  if (drawn) take_errors(data, job, result, pool, made.record);
  const bool columns = options.spectra == Side::H;
  made.spectra = columns ? std::move(result.H) : transposed(result.W);
  made.usages = columns ? std::move(result.W) : transposed(result.H);
  take_scales(made.usages, result.scale);
  made.labels = strongest_components(made.usages, made.spectra);
  return made;
}

JobRecord failed_job(const SurveyOptions& options, const JobKey& key, std::string message) {
  return {.key = key,
          .seed = job_options(options, key).seed,
          .status = JobStatus::failed,
          .message = std::move(message)};
}

template JobResult<float> run_job(const Data<float>&, const SurveyOptions&, const JobKey&, ThreadPool&);
template JobResult<double> run_job(const Data<double>&, const SurveyOptions&, const JobKey&, ThreadPool&);

}  // namespace anmf
