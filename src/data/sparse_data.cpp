// SPDX-License-Identifier: MIT
// Products with a sparse M: row i of C is the sum of the factor's rows that row i of M names, weighted by
// its values (data/sparse_product.h). Both M and M' are kept by rows, so both sides gather, unless one of
// them was dropped. Cost 2 K r flops each.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "anmf/data.h"
#include "anmf/error.h"
#include "data/canonical_csr.h"
#include "data/scale.h"
#include "data/sparse_product.h"

namespace anmf {
namespace {

template <class T>
Index count_empty_rows(const Csr<T>& M) {
  Index empty = 0;
  for (std::size_t i = 0; i + 1 < M.offsets.size(); ++i)
    empty += static_cast<Index>(M.offsets[i] == M.offsets[i + 1]);
  return empty;
}

}  // namespace

template <class T>
SparseData<T>::SparseData(Csr<T> by_row, Csr<T> by_col)
    : by_row_(std::move(by_row)),
      by_col_(std::move(by_col)),
      row_runs_(balanced_rows(by_row_.offsets)),
      col_runs_(balanced_rows(by_col_.offsets)),
      nonzeros_(static_cast<Index>(by_row_.values.size())),
      empty_rows_(count_empty_rows(by_row_)),
      empty_cols_(count_empty_rows(by_col_)) {
  if (by_row_.values.empty()) return;
  const auto [min, max] = std::minmax_element(by_row_.values.begin(), by_row_.values.end());
  nonnegative_ = *min >= T{0};
  norm_ = scaled_norm(static_cast<double>(std::max(*max, -*min)), [&](const auto& visit) {
    for (const T x : by_row_.values) visit(static_cast<double>(x));
  });
}

template <class T>
std::unique_ptr<SparseData<T>> SparseData<T>::with_transpose(Csr<T> by_row) {
  Csr<T> by_col = transpose_csr(by_row);
  return std::unique_ptr<SparseData>(new SparseData(std::move(by_row), std::move(by_col)));
}

template <class T>
template <class I>
std::unique_ptr<SparseData<T>> SparseData<T>::from_csr(Index rows, Index cols, std::span<const Index> offsets,
                                                       std::span<const I> indices,
                                                       std::span<const T> values) {
  return with_transpose(canonical_csr<T, I>(rows, cols, offsets, indices, values));
}

template <class T>
template <class I>
std::unique_ptr<SparseData<T>> SparseData<T>::from_csc(Index rows, Index cols, std::span<const Index> offsets,
                                                       std::span<const I> indices,
                                                       std::span<const T> values) {
  // M' by rows.
  const Index lines = cols;
  const Index line_length = rows;
  Csr<T> by_col = canonical_csr<T, I>(lines, line_length, offsets, indices, values, Compressed::columns);
  Csr<T> by_row = transpose_csr(by_col);
  return std::unique_ptr<SparseData>(new SparseData(std::move(by_row), std::move(by_col)));
}

template <class T>
std::unique_ptr<SparseData<T>> SparseData<T>::from_triplets(Index rows, Index cols,
                                                            std::span<const Index> row_indices,
                                                            std::span<const Index> col_indices,
                                                            std::span<const T> values) {
  return with_transpose(csr_from_triplets<T>(rows, cols, row_indices, col_indices, values));
}

template <class T>
std::unique_ptr<SparseData<T>> SparseData<T>::from_triplets(Index rows, Index cols,
                                                            std::vector<std::uint32_t>&& row_indices,
                                                            std::vector<std::uint32_t>&& col_indices,
                                                            std::vector<T>&& values, Zeros zeros, Sign sign) {
  return with_transpose(csr_from_triplets<T>(rows, cols, std::move(row_indices), std::move(col_indices),
                                             std::move(values), zeros, sign));
}

template <class T>
std::unique_ptr<SparseData<T>> SparseData<T>::from_observed(Csr<T>&& by_row) {
  return with_transpose(std::move(by_row));
}

template <class T>
void SparseData<T>::keep_only(Side side) {
  Csr<T>& dropped = side == Side::W ? by_col_ : by_row_;
  dropped = {.rows = dropped.rows, .cols = dropped.cols};
  only_ = side;
}

template <class T>
void SparseData<T>::cross(Side side, ConstMatrixView<T> factor, MatrixView<T> result,
                          ThreadPool& pool) const {
  const std::vector<Index>& runs = side == Side::W ? row_runs_ : col_runs_;
  if (only_.value_or(side) != side) {
    for (Index i = 0; i < result.rows; ++i) std::fill_n(result.row(i), result.cols, T{0});
    return add_transposed_product(side == Side::W ? by_col_ : by_row_, runs, factor, result, pool);
  }
  sparse_product(side == Side::W ? by_row_ : by_col_, runs, factor, result, pool);
}

template <class T>
void SparseData<T>::for_each_block(Side side, const EntryVisitor<T>& visit) const {
  const Csr<T>& M = only_.value_or(side) == Side::W ? by_row_ : by_col_;
  EntryBlock<T> block{.rows = {0, side == Side::W ? rows() : cols()},
                      .columns = {0, side == Side::W ? cols() : rows()},
                      .lines = SparseLines<T>(M)};
  if (only_.value_or(side) != side) block.layout = Layout::column_major;
  visit(block);
}

template class SparseData<float>;
template class SparseData<double>;
// NOLINTBEGIN(bugprone-macro-parentheses): types and names cannot have them.
#define ANMF_INSTANTIATE(make, T, I)                                                                \
  template std::unique_ptr<SparseData<T>> SparseData<T>::make(Index, Index, std::span<const Index>, \
                                                              std::span<const I>, std::span<const T>)
ANMF_INSTANTIATE(from_csr, float, std::int32_t);
ANMF_INSTANTIATE(from_csr, float, std::int64_t);
ANMF_INSTANTIATE(from_csr, float, std::uint32_t);
ANMF_INSTANTIATE(from_csr, double, std::int32_t);
ANMF_INSTANTIATE(from_csr, double, std::int64_t);
ANMF_INSTANTIATE(from_csr, double, std::uint32_t);
ANMF_INSTANTIATE(from_csc, float, std::int32_t);
ANMF_INSTANTIATE(from_csc, float, std::int64_t);
ANMF_INSTANTIATE(from_csc, double, std::int32_t);
ANMF_INSTANTIATE(from_csc, double, std::int64_t);
#undef ANMF_INSTANTIATE
// NOLINTEND(bugprone-macro-parentheses)

}  // namespace anmf
