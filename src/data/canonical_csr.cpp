// SPDX-License-Identifier: MIT
#include "data/canonical_csr.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "anmf/error.h"
#include "validate/entries.h"

namespace anmf {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

void check_sizes(Index rows, Index cols) {
  validate::shape("M", rows, cols);
  constexpr Index limit = std::numeric_limits<std::uint32_t>::max();
  if (rows > limit || cols > limit) {
    throw InvalidInput(fmt::format("M is {} x {}; a sparse matrix may have at most {} rows and columns.",
                                   rows, cols, limit));
  }
}

void check_index(const char* what, Index entry, Index index, Index size) {
  if (index < 0 || index >= size) {
    throw InvalidInput(
        fmt::format("Entry {} of M has {} index {}, outside 0..{}.", entry, what, index, size - 1));
  }
}

void check_offsets(Index rows, std::span<const Index> offsets, std::size_t indices, std::size_t values) {
  if (offsets.size() != at(rows) + 1) {
    throw InvalidInput(fmt::format("M has {} row offsets; {} rows need {}.", offsets.size(), rows, rows + 1));
  }
  if (indices != values) {
    throw InvalidInput(fmt::format("M has {} column indices but {} values.", indices, values));
  }
  for (Index i = 0; i < rows; ++i) {
    if (offsets[at(i)] > offsets[at(i) + 1]) {
      throw InvalidInput(
          fmt::format("The row offsets of M fall from {} to {} at row {}; they must not decrease.",
                      offsets[at(i)], offsets[at(i) + 1], i));
    }
  }
  if (offsets.front() != 0 || std::cmp_not_equal(offsets.back(), values)) {
    throw InvalidInput(
        fmt::format("The row offsets of M run from {} to {}; they must run from 0 to the {} stored entries.",
                    offsets.front(), offsets.back(), values));
  }
}

/// Appends one row, given as (column, value) pairs in any order, in canonical form.
template <class T>
void append_row(Csr<T>& M, std::vector<std::pair<std::uint32_t, T>>& entries) {
  const auto by_column = [](const auto& a, const auto& b) { return a.first < b.first; };
  // Stable, so that repeated positions are added in the order of the input.
  if (!std::is_sorted(entries.begin(), entries.end(), by_column)) {
    std::stable_sort(entries.begin(), entries.end(), by_column);
  }
  const auto row = static_cast<Index>(M.offsets.size()) - 1;
  for (std::size_t k = 0; k < entries.size();) {
    const std::uint32_t col = entries[k].first;
    T value = 0;
    for (; k < entries.size() && entries[k].first == col; ++k) value += entries[k].second;
    if (!(value >= T{0} && value <= std::numeric_limits<T>::max())) {
      validate::reject_entry("M", row, col, static_cast<double>(value));
    }
    if (value == T{0}) continue;
    M.indices.push_back(col);
    M.values.push_back(value);
  }
  M.offsets.push_back(static_cast<Index>(M.values.size()));
}

template <class T>
Csr<T> empty_csr(Index rows, Index cols, std::size_t capacity) {
  Csr<T> M{.rows = rows, .cols = cols, .offsets = {0}, .indices = {}, .values = {}};
  M.offsets.reserve(at(rows) + 1);
  M.indices.reserve(capacity);
  M.values.reserve(capacity);
  return M;
}

}  // namespace

template <class T, class I>
Csr<T> canonical_csr(Index rows, Index cols, std::span<const Index> offsets, std::span<const I> indices,
                     std::span<const T> values) {
  check_sizes(rows, cols);
  check_offsets(rows, offsets, indices.size(), values.size());
  Csr<T> M = empty_csr<T>(rows, cols, values.size());
  std::vector<std::pair<std::uint32_t, T>> entries;
  for (Index i = 0; i < rows; ++i) {
    entries.clear();
    for (Index k = offsets[at(i)]; k < offsets[at(i) + 1]; ++k) {
      const auto col = static_cast<Index>(indices[at(k)]);
      check_index("column", k, col, cols);
      entries.emplace_back(static_cast<std::uint32_t>(col), values[at(k)]);
    }
    append_row(M, entries);
  }
  return M;
}

template <class T>
Csr<T> csr_from_triplets(Index rows, Index cols, std::span<const Index> row_indices,
                         std::span<const Index> col_indices, std::span<const T> values) {
  check_sizes(rows, cols);
  if (row_indices.size() != values.size() || col_indices.size() != values.size()) {
    throw InvalidInput(
        fmt::format("M has {} row indices, {} column indices and {} values; they must be as many.",
                    row_indices.size(), col_indices.size(), values.size()));
  }
  std::vector<Index> begin(at(rows) + 1, 0);
  for (std::size_t k = 0; k < values.size(); ++k) {
    check_index("row", static_cast<Index>(k), row_indices[k], rows);
    check_index("column", static_cast<Index>(k), col_indices[k], cols);
    ++begin[at(row_indices[k]) + 1];
  }
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<std::size_t> order(values.size());
  std::vector<Index> next(begin.begin(), begin.end() - 1);
  for (std::size_t k = 0; k < values.size(); ++k) order[at(next[at(row_indices[k])]++)] = k;

  Csr<T> M = empty_csr<T>(rows, cols, values.size());
  std::vector<std::pair<std::uint32_t, T>> entries;
  for (Index i = 0; i < rows; ++i) {
    entries.clear();
    for (Index k = begin[at(i)]; k < begin[at(i) + 1]; ++k) {
      const std::size_t from = order[at(k)];
      entries.emplace_back(static_cast<std::uint32_t>(col_indices[from]), values[from]);
    }
    append_row(M, entries);
  }
  return M;
}

template <class T>
Csr<T> transpose_csr(const Csr<T>& M) {
  Csr<T> result{.rows = M.cols, .cols = M.rows, .offsets = {}, .indices = {}, .values = {}};
  result.offsets.assign(at(M.cols) + 1, 0);
  result.indices.resize(M.indices.size());
  result.values.resize(M.values.size());
  for (const std::uint32_t col : M.indices) ++result.offsets[std::size_t{col} + 1];
  std::partial_sum(result.offsets.begin(), result.offsets.end(), result.offsets.begin());
  std::vector<Index> next(result.offsets.begin(), result.offsets.end() - 1);
  for (Index i = 0; i < M.rows; ++i) {
    for (Index k = M.offsets[at(i)]; k < M.offsets[at(i) + 1]; ++k) {
      const auto place = at(next[M.indices[at(k)]]++);
      result.indices[place] = static_cast<std::uint32_t>(i);
      result.values[place] = M.values[at(k)];
    }
  }
  return result;
}

template Csr<float> canonical_csr(Index, Index, std::span<const Index>, std::span<const std::int32_t>,
                                  std::span<const float>);
template Csr<float> canonical_csr(Index, Index, std::span<const Index>, std::span<const std::int64_t>,
                                  std::span<const float>);
template Csr<double> canonical_csr(Index, Index, std::span<const Index>, std::span<const std::int32_t>,
                                   std::span<const double>);
template Csr<double> canonical_csr(Index, Index, std::span<const Index>, std::span<const std::int64_t>,
                                   std::span<const double>);
template Csr<float> csr_from_triplets(Index, Index, std::span<const Index>, std::span<const Index>,
                                      std::span<const float>);
template Csr<double> csr_from_triplets(Index, Index, std::span<const Index>, std::span<const Index>,
                                       std::span<const double>);
template Csr<float> transpose_csr(const Csr<float>&);
template Csr<double> transpose_csr(const Csr<double>&);

}  // namespace anmf
