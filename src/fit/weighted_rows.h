// SPDX-License-Identifier: MIT
// Rows that fit best beside a given H where not all entries count the same, so that every row has a problem
// of its own (anmf/weights.h).
#pragma once

#include "anmf/nnls.h"
#include "core/workers.h"

namespace anmf {

/// Whether the problems of rows differ in more than their entries.
template <class T>
[[nodiscard]] bool rows_differ(const Data<T>& data) {
  return data.counted() != Counted::all || !data.line_weights(Side::H).empty();
}

/// fit_rows() for such data, every loss; options have been checked. A row without observations is zero.
template <class T>
[[nodiscard]] NnlsResult<T> fit_weighted_rows(const Data<T>& data, ConstMatrixView<T> H,
                                              const FitOptions& options, ThreadPool& pool);

}  // namespace anmf
