// SPDX-License-Identifier: MIT
#include "io/number_array.h"

#include <fmt/format.h>

#include <limits>

#include "anmf/error.h"
#include "io/input_file.h"

namespace anmf::io {

Positions expand_offsets(const std::vector<Index>& offsets) {
  Positions result;
  result.reserve(static_cast<std::size_t>(offsets.back()));
  for (std::size_t line = 0; line + 1 < offsets.size(); ++line) {
    result.insert(result.end(), static_cast<std::size_t>(offsets[line + 1] - offsets[line]),
                  static_cast<std::uint32_t>(line));
  }
  return result;
}

void NumberArray::fail(std::string_view message) const {
  throw InvalidInput(fmt::format("{}: {}", name(), message));
}

void NumberArray::expect_size(Index expected, std::string_view why) const {
  if (size() != expected)
    fail(fmt::format("{} found, expected {}: {}.", counted(size(), "entry"), expected, why));
}

std::vector<Index> read_offsets(NumberArray& array, Index count, Index lines) {
  array.expect_size(lines + 1, "one more than rows (csr) or columns (csc)");
  std::vector<Index> offsets;
  offsets.reserve(static_cast<std::size_t>(lines + 1));
  const Visit<Index> visit = [&](std::span<const Index> block) {
    for (const Index offset : block) {
      const Index least = offsets.empty() ? 0 : offsets.back();
      const Index most = offsets.empty() ? 0 : count;
      if (offset < least || offset > most) {
        array.fail(
            fmt::format("entry {}, counted from 0, is {}, expected {} to {}: offsets begin with 0, never "
                        "decrease and stay within the {}.",
                        offsets.size(), offset, least, most, counted(count, "entry")));
      }
      offsets.push_back(offset);
    }
  };
  array.read(visit);
  return offsets;
}

void append_positions(const NumberArray& array, std::span<const Index> block, Index size, Positions& result,
                      Index first) {
  for (const Index position : block) {
    if (position < 0 || position >= size) {
      array.fail(fmt::format("entry {}, counted from 0, is {}, expected 0 to {}.",
                             first + static_cast<Index>(result.size()), position, size - 1));
    }
    result.push_back(static_cast<std::uint32_t>(position));
  }
}

Positions read_positions(NumberArray& array, Index count, Index size) {
  array.expect_size(count, "as many as in data");
  Positions result;
  result.reserve(static_cast<std::size_t>(count));
  array.read(
      Visit<Index>([&](std::span<const Index> block) { append_positions(array, block, size, result); }));
  return result;
}

void read_sparse_shape(NumberArray& array, Index& rows, Index& cols) {
  if (array.size() != 2) {
    array.fail(fmt::format("{} found, expected 2: rows and columns.", counted(array.size(), "dimension")));
  }
  std::vector<Index> sizes;
  array.read(Visit<Index>(
      [&](std::span<const Index> block) { sizes.insert(sizes.end(), block.begin(), block.end()); }));
  constexpr Index kLimit = std::numeric_limits<std::uint32_t>::max();
  for (const Index size : sizes) {
    if (size < 0 || size > kLimit) {
      array.fail(fmt::format("the matrix is {} x {}; a sparse matrix may have 0 to {} rows and columns.",
                             sizes[0], sizes[1], kLimit));
    }
  }
  rows = sizes[0];
  cols = sizes[1];
}

template <class T>
std::vector<T> read_values(NumberArray& array) {
  std::vector<T> values;
  values.reserve(static_cast<std::size_t>(array.size()));
  array.read(
      Visit<T>([&](std::span<const T> block) { values.insert(values.end(), block.begin(), block.end()); }));
  return values;
}

template <class T>
void read_compressed(NumberArray& offsets, NumberArray& indices, NumberArray& values, bool by_rows,
                     Triplets<T>& result) {
  result.values = read_values<T>(values);
  const auto count = static_cast<Index>(result.values.size());
  Positions& major = by_rows ? result.row_indices : result.col_indices;
  Positions& minor = by_rows ? result.col_indices : result.row_indices;
  major = expand_offsets(read_offsets(offsets, count, by_rows ? result.rows : result.cols));
  minor = read_positions(indices, count, by_rows ? result.cols : result.rows);
  // scipy ignores what stands behind the last offset, the spare room of a matrix that shrank.
  minor.resize(major.size());
  result.values.resize(major.size());
}

template std::vector<float> read_values<float>(NumberArray&);
template std::vector<double> read_values<double>(NumberArray&);
template void read_compressed<float>(NumberArray&, NumberArray&, NumberArray&, bool, Triplets<float>&);
template void read_compressed<double>(NumberArray&, NumberArray&, NumberArray&, bool, Triplets<double>&);

}  // namespace anmf::io
