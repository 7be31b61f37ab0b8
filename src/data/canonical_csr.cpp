// SPDX-License-Identifier: MIT
#include "data/canonical_csr.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
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

/// What the caller calls the two directions of the arrays.
struct Directions {
  const char* major;  // along the offsets
  const char* minor;  // along the indices
};

Directions directions(Compressed compressed) {
  return compressed == Compressed::rows ? Directions{"row", "column"} : Directions{"column", "row"};
}

void check_offsets(Directions names, Index rows, std::span<const Index> offsets, std::size_t indices,
                   std::size_t values) {
  if (offsets.size() != at(rows) + 1) {
    throw InvalidInput(fmt::format("M has {} {} offsets; {} {}s need {}.", offsets.size(), names.major, rows,
                                   names.major, rows + 1));
  }
  if (indices != values) {
    throw InvalidInput(fmt::format("M has {} {} indices but {} values.", indices, names.minor, values));
  }
  for (Index i = 0; i < rows; ++i) {
    if (offsets[at(i)] > offsets[at(i) + 1]) {
      throw InvalidInput(
          fmt::format("The {} offsets of M fall from {} to {} at {} {}; they must not decrease.", names.major,
                      offsets[at(i)], offsets[at(i) + 1], names.major, i));
    }
  }
  if (offsets.front() != 0 || std::cmp_not_equal(offsets.back(), values)) {
    throw InvalidInput(
        fmt::format("The {} offsets of M run from {} to {}; they must run from 0 to the {} stored entries.",
                    names.major, offsets.front(), offsets.back(), values));
  }
}

/// Most rows of most files are as they should be.
template <class T>
bool is_canonical(std::span<const std::uint32_t> cols, std::span<const T> values, Zeros zeros, Sign sign) {
  bool good = true;
  for (std::size_t k = 1; k < cols.size(); ++k) good &= cols[k - 1] < cols[k];
  if (sign == Sign::any) {
    const auto fits = [&](T value) {
      return std::isfinite(value) && (value != T{0} || zeros == Zeros::keep);
    };
    return good && std::ranges::all_of(values, fits);
  }
  if (zeros == Zeros::keep) {
    for (const T value : values) good &= value >= T{0} && value <= std::numeric_limits<T>::max();
    return good;
  }
  for (const T value : values) good &= value > T{0} && value <= std::numeric_limits<T>::max();
  return good;
}

/// The entries of one row in canonical form, written over their beginning. Returns how many are left.
/// `pairs` is room to sort in.
template <class T>
std::size_t canonical_row(Compressed compressed, Index row, std::span<std::uint32_t> cols,
                          std::span<T> values, Zeros zeros, Sign sign,
                          std::vector<std::pair<std::uint32_t, T>>& pairs) {
  const auto by_column = [](const auto& a, const auto& b) { return a.first < b.first; };
  pairs.clear();
  for (std::size_t k = 0; k < cols.size(); ++k) pairs.emplace_back(cols[k], values[k]);
  // Stable, so that repeated positions are added in the order of the input.
  if (!std::is_sorted(pairs.begin(), pairs.end(), by_column)) {
    std::stable_sort(pairs.begin(), pairs.end(), by_column);
  }
  std::size_t kept = 0;
  for (std::size_t k = 0; k < pairs.size();) {
    const std::uint32_t col = pairs[k].first;
    T value = 0;
    for (; k < pairs.size() && pairs[k].first == col; ++k) value += pairs[k].second;
    const T least = sign == Sign::any ? std::numeric_limits<T>::lowest() : T{0};
    if (!(value >= least && value <= std::numeric_limits<T>::max())) {
      const bool by_rows = compressed == Compressed::rows;
      validate::reject_entry("M", by_rows ? row : Index{col}, by_rows ? Index{col} : row,
                             static_cast<double>(value));
    }
    if (value == T{0} && zeros == Zeros::drop) continue;
    cols[kept] = col;
    values[kept++] = value;
  }
  return kept;
}

/// Drops the unused end of a vector, and its memory too if there is much of it.
template <class V>
void cut(V& vector, std::size_t size) {
  vector.resize(size);
  if (vector.capacity() - size > size / 16) vector.shrink_to_fit();
}

/// Brings every row into canonical form, and drops the memory that is left over.
template <class T>
void make_compact(Csr<T>& M, Compressed compressed, Zeros zeros = Zeros::drop,
                  Sign sign = Sign::nonnegative) {
  make_canonical(M, compressed, 0, zeros, sign);
  cut(M.indices, M.indices.size());
  cut(M.values, M.values.size());
}

/// Moves entry k of both arrays to place destination[k], which is overwritten on the way.
template <class P, class T>
void permute(std::vector<P>& destination, std::vector<std::uint32_t>& cols, std::vector<T>& values) {
  for (std::size_t k = 0; k < destination.size(); ++k) {
    while (static_cast<std::size_t>(destination[k]) != k) {
      const auto to = static_cast<std::size_t>(destination[k]);
      std::swap(cols[k], cols[to]);
      std::swap(values[k], values[to]);
      std::swap(destination[k], destination[to]);
    }
  }
}

void check_counts(std::size_t rows, std::size_t cols, std::size_t values) {
  if (rows == values && cols == values) return;
  throw InvalidInput(fmt::format(
      "M has {} row indices, {} column indices and {} values; they must be as many.", rows, cols, values));
}

}  // namespace

template <class T>
void make_canonical(Csr<T>& M, Compressed compressed, Index first_row, Zeros zeros, Sign sign) {
  std::vector<std::pair<std::uint32_t, T>> pairs;
  Index begin = 0;
  std::size_t done = 0;
  for (Index i = 0; i < M.rows; ++i) {
    const auto size = at(M.offsets[at(i) + 1] - begin);
    const std::span<std::uint32_t> cols(M.indices.data() + begin, size);
    const std::span<T> values(M.values.data() + begin, size);
    const std::size_t kept =
        is_canonical<T>(cols, values, zeros, sign)
            ? size
            : canonical_row<T>(compressed, first_row + i, cols, values, zeros, sign, pairs);
    if (std::cmp_not_equal(done, begin)) {
      std::copy_n(cols.begin(), kept, M.indices.begin() + static_cast<Index>(done));
      std::copy_n(values.begin(), kept, M.values.begin() + static_cast<Index>(done));
    }
    done += kept;
    begin = M.offsets[at(i) + 1];
    M.offsets[at(i) + 1] = static_cast<Index>(done);
  }
  M.indices.resize(done);
  M.values.resize(done);
}

template <class T, class I>
Csr<T> canonical_csr(Index rows, Index cols, std::span<const Index> offsets, std::span<const I> indices,
                     std::span<const T> values, Compressed compressed) {
  const bool by_rows = compressed == Compressed::rows;
  check_sizes(by_rows ? rows : cols, by_rows ? cols : rows);
  const Directions names = directions(compressed);
  check_offsets(names, rows, offsets, indices.size(), values.size());
  Csr<T> M{
      .rows = rows, .cols = cols, .offsets = {offsets.begin(), offsets.end()}, .indices = {}, .values = {}};
  M.indices.reserve(indices.size());
  for (std::size_t k = 0; k < indices.size(); ++k) {
    check_index(names.minor, static_cast<Index>(k), static_cast<Index>(indices[k]), cols);
    M.indices.push_back(static_cast<std::uint32_t>(indices[k]));
  }
  M.values.assign(values.begin(), values.end());
  make_compact(M, compressed);
  return M;
}

template <class T>
Csr<T> csr_from_triplets(Index rows, Index cols, std::span<const Index> row_indices,
                         std::span<const Index> col_indices, std::span<const T> values) {
  check_sizes(rows, cols);
  check_counts(row_indices.size(), col_indices.size(), values.size());
  std::vector<std::uint32_t> own_rows;
  std::vector<std::uint32_t> own_cols;
  own_rows.reserve(values.size());
  own_cols.reserve(values.size());
  for (std::size_t k = 0; k < values.size(); ++k) {
    check_index("row", static_cast<Index>(k), row_indices[k], rows);
    check_index("column", static_cast<Index>(k), col_indices[k], cols);
    own_rows.push_back(static_cast<std::uint32_t>(row_indices[k]));
    own_cols.push_back(static_cast<std::uint32_t>(col_indices[k]));
  }
  return csr_from_triplets<T>(rows, cols, std::move(own_rows), std::move(own_cols),
                              std::vector<T>(values.begin(), values.end()));
}

template <class T>
Csr<T> csr_from_triplets(Index rows, Index cols, std::vector<std::uint32_t>&& row_indices,
                         std::vector<std::uint32_t>&& col_indices, std::vector<T>&& values, Zeros zeros,
                         Sign sign) {
  check_sizes(rows, cols);
  check_counts(row_indices.size(), col_indices.size(), values.size());
  Csr<T> M{.rows = rows,
           .cols = cols,
           .offsets = {},
           .indices = std::move(col_indices),
           .values = std::move(values)};
  M.offsets.assign(at(rows) + 1, 0);
  for (std::size_t k = 0; k < row_indices.size(); ++k) {
    check_index("row", static_cast<Index>(k), Index{row_indices[k]}, rows);
    check_index("column", static_cast<Index>(k), Index{M.indices[k]}, cols);
    ++M.offsets[std::size_t{row_indices[k]} + 1];
  }
  std::partial_sum(M.offsets.begin(), M.offsets.end(), M.offsets.begin());
  // Stable: the entries of a row stay in the order of the input.
  std::vector<Index> next(M.offsets.begin(), M.offsets.end() - 1);
  if (row_indices.size() <= std::numeric_limits<std::uint32_t>::max()) {
    for (std::uint32_t& row : row_indices) row = static_cast<std::uint32_t>(next[row]++);
    permute(row_indices, M.indices, M.values);
  } else {
    std::vector<Index> places(row_indices.size());
    for (std::size_t k = 0; k < places.size(); ++k) places[k] = next[row_indices[k]]++;
    permute(places, M.indices, M.values);
  }
  row_indices = {};
  make_compact(M, Compressed::rows, zeros, sign);
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
                                  std::span<const float>, Compressed);
template Csr<float> canonical_csr(Index, Index, std::span<const Index>, std::span<const std::int64_t>,
                                  std::span<const float>, Compressed);
template Csr<double> canonical_csr(Index, Index, std::span<const Index>, std::span<const std::int32_t>,
                                   std::span<const double>, Compressed);
template Csr<double> canonical_csr(Index, Index, std::span<const Index>, std::span<const std::int64_t>,
                                   std::span<const double>, Compressed);
template Csr<float> canonical_csr(Index, Index, std::span<const Index>, std::span<const std::uint32_t>,
                                  std::span<const float>, Compressed);
template Csr<double> canonical_csr(Index, Index, std::span<const Index>, std::span<const std::uint32_t>,
                                   std::span<const double>, Compressed);
template Csr<float> csr_from_triplets(Index, Index, std::span<const Index>, std::span<const Index>,
                                      std::span<const float>);
template Csr<double> csr_from_triplets(Index, Index, std::span<const Index>, std::span<const Index>,
                                       std::span<const double>);
template Csr<float> csr_from_triplets(Index, Index, std::vector<std::uint32_t>&&,
                                      std::vector<std::uint32_t>&&, std::vector<float>&&, Zeros, Sign);
template Csr<double> csr_from_triplets(Index, Index, std::vector<std::uint32_t>&&,
                                       std::vector<std::uint32_t>&&, std::vector<double>&&, Zeros, Sign);
template void make_canonical(Csr<float>&, Compressed, Index, Zeros, Sign);
template void make_canonical(Csr<double>&, Compressed, Index, Zeros, Sign);
template Csr<float> transpose_csr(const Csr<float>&);
template Csr<double> transpose_csr(const Csr<double>&);

}  // namespace anmf
