// SPDX-License-Identifier: MIT
// The rows of X that fit a block best where its entries do not all count the same (anmf/entries.h): every row
// is a problem of its own, of the entries that count with what they count, and the rows of F beside them.
#pragma once

#include "loss/optimal_rows.h"

namespace anmf {

/// What fit_optimal_rows() does for such blocks.
template <class T>
[[nodiscard]] double fit_weighted_rows(const FixedFactor& factor, const EntryBlock<T>& block, MatrixView<T> X,
                                       ThreadPool& pool);

}  // namespace anmf
