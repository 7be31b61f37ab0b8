// SPDX-License-Identifier: MIT
// What the stored entries of a sparse row of a block count, and the slope that all models of the row share.
#pragma once

#include <span>

#include "data/entry_rows.h"

namespace anmf {

/// What each stored entry counts in the problem of its row.
template <class T>
void load_stored_weights(const EntryBlock<T>& block, const SparseRows<T>& rows, Index row,
                         std::span<T> weights);

/// The sum over all entries of a row that count of what they count times their row of F (K x r), which is the
/// slope of the sum of their models. Where zeros count, `column_sums` has it for a row of which nothing is
/// missing.
template <class T>
void sum_of_models(const EntryBlock<T>& block, const SparseRows<T>& rows, Index row, ConstMatrixView<T> F,
                   std::span<const double> column_sums, std::span<double> sums);

}  // namespace anmf
