// SPDX-License-Identifier: MIT
// With rows centred and scaled to norm 1 their products are correlations. Of two starts they are a block of
// k x k, and only the sums of its largest entries are kept.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "anmf/consensus.h"
#include "consensus/unit_spectra.h"
#include "core/sums.h"

namespace anmf {
namespace {

/// Rows less their means, of norm 1; zeros where a row is constant, which correlates with nothing.
Matrix<double> standard_rows(ConstMatrixView<double> spectra) {
  Matrix<double> standard = unit_rows(spectra);
  for (Index i = 0; i < standard.rows(); ++i) {
    double* const x = standard.view().row(i);
    const auto [least, most] = std::minmax_element(x, x + standard.cols());
    const bool constant = standard.cols() == 0 || *least == *most;
    const double mean =
        sum_terms(standard.cols(), [=](Index j) { return x[j]; }) / static_cast<double>(standard.cols());
    for (Index j = 0; j < standard.cols(); ++j) x[j] = constant ? 0 : x[j] - mean;
  }
  scale_to_unit_rows(standard.view());
  return standard;
}

double difference(ConstMatrixView<double> correlations) {
  const Index k = correlations.rows;
  std::vector<double> best_of_columns(static_cast<std::size_t>(k), 0.0);
  double sum = 0;
  for (Index i = 0; i < k; ++i) {
    double best = 0;
    for (Index j = 0; j < k; ++j) {
      const double size = std::min(1.0, std::abs(correlations(i, j)));
      best = std::max(best, size);
      double& column = best_of_columns[static_cast<std::size_t>(j)];
      column = std::max(column, size);
    }
    sum += best;
  }
  for (const double best : best_of_columns) sum += best;
  return 1 - sum / (2 * static_cast<double>(k));
}

}  // namespace

double instability(ConstMatrixView<double> spectra, Index k, ThreadPool& pool) {
  const Index starts = check_starts("spectra", spectra, k);
  if (starts < 2) return std::numeric_limits<double>::quiet_NaN();
  const Matrix<double> rows = standard_rows(spectra);
  const ConstMatrixView<double> X = rows.view();
  const Chunks chunks(starts, product_rows(X.rows).largest() / k, 1024);  // of whole starts
  PartialSums<1> sums(chunks.count());
  pool.for_each_chunk(chunks.count(), product_flops(X) / 2, [&](Index chunk) {
    const Index first = chunks.begin(chunk);
    const Matrix<double> products = rows_of_products(X, first * k, chunks.end(chunk) * k, first * k);
    double sum = 0;
    for (Index s = first; s < chunks.end(chunk); ++s) {
      for (Index t = s + 1; t < starts; ++t) {
        const double* corner = products.view().row((s - first) * k) + (t - first) * k;
        sum += difference({corner, k, k, products.cols()});
      }
    }
    sums.at(chunk)[0] = sum;
  });
  const double pairs = static_cast<double>(starts) * static_cast<double>(starts - 1) / 2;
  return sums.total()[0] / pairs;
}

}  // namespace anmf
