// SPDX-License-Identifier: MIT
// Samples are rows of M, and usages the W of a given H; or they are columns, and usages the W of M'.
#include "survey/usages.h"

#include <memory>
#include <utility>

#include "anmf/nnls.h"
#include "data/borrowed.h"
#include "data/transposed_data.h"

namespace anmf {
namespace {

template <class T>
FittedUsages<T> fit_rows_of(const Data<T>& samples, const FitOptions& options, const Matrix<T>& spectra) {
  FittedUsages<T> fitted{.usages = fit_rows<T>(samples, spectra.view(), options).X};
  fitted.error = fit_error<T>(samples, fitted.usages, spectra.view(), options);
  return fitted;
}

}  // namespace

template <class T>
FittedUsages<T> fit_usages(const Data<T>& data, const SurveyOptions& options, const Matrix<T>& spectra) {
  const FitOptions fit{.loss = options.job.loss, .threads = options.job.threads};
  if (options.spectra == Side::H) return fit_rows_of(data, fit, spectra);
  return fit_rows_of<T>(TransposedData<T>(std::make_unique<Borrowed<T>>(data)), fit, spectra);
}

template <class T>
std::vector<double> mean_shares(const Matrix<T>& usages) {
  std::vector<double> shares(static_cast<std::size_t>(usages.cols()));
  Index samples = 0;
  for (Index i = 0; i < usages.rows(); ++i) {
    double sum = 0;
    for (Index p = 0; p < usages.cols(); ++p) sum += static_cast<double>(usages(i, p));
    if (sum == 0) continue;
    ++samples;
    for (Index p = 0; p < usages.cols(); ++p)
      shares[static_cast<std::size_t>(p)] += static_cast<double>(usages(i, p)) / sum;
  }
  for (double& share : shares) share = samples == 0 ? 0 : share / static_cast<double>(samples);
  return shares;
}

template FittedUsages<float> fit_usages(const Data<float>&, const SurveyOptions&, const Matrix<float>&);
template FittedUsages<double> fit_usages(const Data<double>&, const SurveyOptions&, const Matrix<double>&);
template std::vector<double> mean_shares(const Matrix<float>&);
template std::vector<double> mean_shares(const Matrix<double>&);

}  // namespace anmf
