// SPDX-License-Identifier: MIT
#include "loss/row_weights.h"

#include <algorithm>

namespace anmf {
namespace {

template <class T>
std::size_t first_of(const SparseRows<T>& rows, Index row) {
  return static_cast<std::size_t>(rows.lines().offsets[static_cast<std::size_t>(row)]);
}

template <class T>
void add_row(double weight, const T* f, std::span<double> sums) {
  for (std::size_t p = 0; p < sums.size(); ++p) sums[p] += weight * static_cast<double>(f[p]);
}

}  // namespace

template <class T>
void load_stored_weights(const EntryBlock<T>& block, const SparseRows<T>& rows, Index row,
                         std::span<T> weights) {
  const EntryWeights<T>& of = block.weights;
  const std::span<const std::uint32_t> indices = rows.indices(row);
  const std::size_t first = first_of(rows, row);
  for (std::size_t k = 0; k < weights.size(); ++k) {
    weights[k] = of.of_stored.empty() ? T{1} : of.of_stored[first + k];
    if (!of.of_columns.empty()) weights[k] *= of.of_columns[indices[k]];
  }
}

template <class T>
void sum_of_models(const EntryBlock<T>& block, const SparseRows<T>& rows, Index row, ConstMatrixView<T> F,
                   std::span<const double> column_sums, std::span<double> sums) {
  const EntryWeights<T>& of = block.weights;
  const auto of_column = [&](std::uint32_t j) {
    return of.of_columns.empty() ? 1.0 : static_cast<double>(of.of_columns[j]);
  };
  if (of.counted == Counted::stored) {
    std::fill(sums.begin(), sums.end(), 0.0);
    const std::span<const std::uint32_t> indices = rows.indices(row);
    const std::size_t first = first_of(rows, row);
    for (std::size_t k = 0; k < indices.size(); ++k) {
      const double own = of.of_stored.empty() ? 1.0 : static_cast<double>(of.of_stored[first + k]);
      add_row(own * of_column(indices[k]), F.row(indices[k]), sums);
    }
    return;
  }
  std::copy(column_sums.begin(), column_sums.end(), sums.begin());
  if (of.counted != Counted::all_but) return;
  for (const std::uint32_t j : of.missing.row(row)) add_row(-of_column(j), F.row(j), sums);
  for (double& sum : sums) sum = std::max(sum, 0.0);  // a difference may fall below by its rounding
}

template void load_stored_weights(const EntryBlock<float>&, const SparseRows<float>&, Index,
                                  std::span<float>);
template void load_stored_weights(const EntryBlock<double>&, const SparseRows<double>&, Index,
                                  std::span<double>);
template void sum_of_models(const EntryBlock<float>&, const SparseRows<float>&, Index, ConstMatrixView<float>,
                            std::span<const double>, std::span<double>);
template void sum_of_models(const EntryBlock<double>&, const SparseRows<double>&, Index,
                            ConstMatrixView<double>, std::span<const double>, std::span<double>);

}  // namespace anmf
