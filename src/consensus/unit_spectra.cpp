// SPDX-License-Identifier: MIT
//   ||x - y||^2 = ||x||^2 + ||y||^2 - 2 x'y
#include "consensus/unit_spectra.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "anmf/consensus.h"
#include "anmf/error.h"
#include "core/blas.h"
#include "core/sums.h"
#include "data/scale.h"

namespace anmf {
namespace {

double norm_of_row(const double* x, Index n) {
  double largest = 0;
  for (Index j = 0; j < n; ++j) largest = std::max(largest, std::abs(x[j]));
  if (largest == 0) return 0;
  const double scale = safe_scale<double>(largest);
  if (scale == 1) return std::sqrt(dot(n, x, x));
  return scale * std::sqrt(sum_terms(n, [=](Index j) { return (x[j] / scale) * (x[j] / scale); }));
}

}  // namespace

Matrix<double> unit_rows(ConstMatrixView<double> spectra) {
  check_spectra("spectra", spectra);
  Matrix<double> unit(spectra.rows, spectra.cols);
  for (Index i = 0; i < spectra.rows; ++i) std::copy_n(spectra.row(i), spectra.cols, unit.view().row(i));
  scale_to_unit_rows(unit.view());
  return unit;
}

void scale_to_unit_rows(MatrixView<double> rows) {
  for (Index i = 0; i < rows.rows; ++i) {
    const double norm = norm_of_row(rows.row(i), rows.cols);
    if (norm == 0) continue;
    for (Index j = 0; j < rows.cols; ++j) rows(i, j) /= norm;
  }
}

void check_spectra(std::string_view name, ConstMatrixView<double> spectra) {
  for (Index i = 0; i < spectra.rows; ++i) {
    for (Index j = 0; j < spectra.cols; ++j) {
      if (std::isfinite(spectra(i, j))) continue;
      throw InvalidInput(
          fmt::format("{}[{}, {}] = {} (row and column counted from 0); spectra must be finite.", name, i, j,
                      spectra(i, j)));
    }
  }
}

Index check_starts(std::string_view name, ConstMatrixView<double> spectra, Index k) {
  if (k < 1) throw InvalidInput(fmt::format("k = {}; there must be at least one component.", k));
  if (spectra.rows % k != 0) {
    throw InvalidInput(
        fmt::format("{} has {} rows; it must have k = {} for every start, those of a start together.", name,
                    spectra.rows, k));
  }
  check_spectra(name, spectra);
  return spectra.rows / k;
}

Matrix<double> rows_of_products(ConstMatrixView<double> X, Index begin, Index end, Index first) {
  Matrix<double> products(end - begin, X.rows - first);
  blas::gemm<double>(blas::Op::none, blas::Op::transpose, 1.0, X.middle_rows(begin, end),
                     X.middle_rows(first, X.rows), 0.0, products.view());
  return products;
}

std::vector<double> squared_norms(ConstMatrixView<double> X) {
  std::vector<double> squares(static_cast<std::size_t>(X.rows));
  for (Index i = 0; i < X.rows; ++i) squares[static_cast<std::size_t>(i)] = dot(X.cols, X.row(i), X.row(i));
  return squares;
}

double squared_distance(const double* x, const double* y, Index n, double squared_x, double squared_y,
                        double product) {
  const double square = squared_x + squared_y - 2 * product;
  if (square >= kCloseRows) return square;
  return sum_terms(n, [=](Index j) { return (x[j] - y[j]) * (x[j] - y[j]); });
}

}  // namespace anmf
