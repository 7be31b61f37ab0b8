// SPDX-License-Identifier: MIT
// Least squares beside a given H where entries of M do not all count the same (anmf/weights.h): every row has
// normal equations of its own, and they are solved exactly. M has been checked.
#pragma once

#include "anmf/nnls.h"
#include "core/workers.h"

namespace anmf {

/// Whether the problems of rows differ in more than their entries.
template <class T>
[[nodiscard]] bool rows_differ(const Data<T>& data) {
  return data.counted() != Counted::all || !data.line_weights(Side::H).empty();
}

/// The number that the penalty of a row of W is multiplied with: n, or the sum of the weights of columns.
template <class T>
[[nodiscard]] double columns_that_count(const Data<T>& data) {
  if (data.line_weights(Side::H).empty()) return static_cast<double>(data.cols());
  double sum = 0;
  for (const T weight : data.line_weights(Side::H)) sum += static_cast<double>(weight);
  return sum;
}

/// The rows of W, of which one without any observation is zero.
template <class T>
[[nodiscard]] NnlsResult<T> fit_observed_rows(const Data<T>& data, ConstMatrixView<T> H,
                                              const FitOptions& options, const Workers& workers);

}  // namespace anmf
