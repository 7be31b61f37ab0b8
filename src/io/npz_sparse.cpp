// SPDX-License-Identifier: MIT
// Sparse matrices as scipy.sparse.save_npz writes them: an archive of the arrays `format`, `shape`, `data`
// and
//   csr, csc   `indptr` (rows or columns, plus 1) and `indices` (as many as `data`)
//   coo        `row` and `col` (as many as `data`), or both as `coords` (2 x as many)
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "anmf/error.h"
#include "anmf/io.h"
#include "io/input_file.h"
#include "io/npy_reader.h"
#include "io/npz.h"

namespace anmf::io {

namespace {

using Positions = std::vector<std::uint32_t>;

// One array of the archive, its header read.
class Array {
 public:
  Array(const ZipArchive& archive, const std::filesystem::path& path, const std::string& key)
      : name_(npz_array_name(path, key)),
        source_(archive.open(key + ".npy")),
        header_(read_npy_array_header(*source_, name_)) {}

  [[nodiscard]] Index size() const { return header_.count; }

  void expect_size(Index expected, std::string_view why) const {
    if (size() != expected) fail(fmt::format("{} entries found, expected {}: {}.", size(), expected, why));
  }

  template <class T>
  void read(const std::function<void(std::span<const T>)>& visit) {
    read_npy_entries<T>(*source_, header_, name_, visit);
  }

  [[noreturn]] void fail(std::string_view message) const {
    throw InvalidInput(fmt::format("{}: {}", name_.string(), message));
  }

 private:
  std::filesystem::path name_;
  std::unique_ptr<ByteSource> source_;
  NpyHeader header_;
};

// Appends positions, each of which must be below `size`.
void append_positions(const Array& array, std::span<const Index> block, Index size, Positions& result) {
  for (const Index position : block) {
    if (position < 0 || position >= size) {
      array.fail(fmt::format("entry {}, counted from 0, is {}, expected 0 to {}.", result.size(), position,
                             size - 1));
    }
    result.push_back(static_cast<std::uint32_t>(position));
  }
}

Positions read_positions(Array array, Index count, Index size) {
  array.expect_size(count, "as many as in data");
  Positions result;
  result.reserve(static_cast<std::size_t>(count));
  array.read<Index>([&](std::span<const Index> block) { append_positions(array, block, size, result); });
  return result;
}

// The row of every entry of CSR (or column, of CSC), from the offsets at which the rows begin.
Positions expand_offsets(Array array, Index count, Index major_size) {
  array.expect_size(major_size + 1, "one more than rows (csr) or columns (csc)");
  Positions result;
  result.reserve(static_cast<std::size_t>(count));
  Index at = 0;
  Index previous = 0;
  array.read<Index>([&](std::span<const Index> block) {
    for (const Index offset : block) {
      const Index least = at == 0 ? 0 : previous;
      const Index most = at == 0 ? 0 : count;
      if (offset < least || offset > most) {
        array.fail(
            fmt::format("entry {}, counted from 0, is {}, expected {} to {}: offsets begin with 0, never "
                        "decrease and stay within the {} entries.",
                        at, offset, least, most, count));
      }
      if (at > 0) {
        result.insert(result.end(), static_cast<std::size_t>(offset - previous),
                      static_cast<std::uint32_t>(at - 1));
      }
      previous = offset;
      ++at;
    }
  });
  return result;
}

std::pair<Index, Index> read_shape(Array array) {
  if (array.size() != 2) {
    array.fail(fmt::format("{} dimensions found, expected 2: rows and columns.", array.size()));
  }
  std::array<Index, 2> sizes{};
  array.read<Index>(
      [&](std::span<const Index> block) { std::copy(block.begin(), block.end(), sizes.begin()); });
  constexpr Index kLimit = std::numeric_limits<std::uint32_t>::max();
  for (const Index size : sizes) {
    if (size < 0 || size > kLimit) {
      array.fail(fmt::format("the matrix is {} x {}; a sparse matrix may have 0 to {} rows and columns.",
                             sizes[0], sizes[1], kLimit));
    }
  }
  return {sizes[0], sizes[1]};
}

template <class T>
std::vector<T> read_values(Array array) {
  std::vector<T> values;
  values.reserve(static_cast<std::size_t>(array.size()));
  array.read<T>([&](std::span<const T> block) { values.insert(values.end(), block.begin(), block.end()); });
  return values;
}

template <class T>
void read_compressed(const ZipArchive& archive, const std::filesystem::path& path, bool by_rows,
                     Triplets<T>& result) {
  const auto count = static_cast<Index>(result.values.size());
  Positions& major = by_rows ? result.row_indices : result.col_indices;
  Positions& minor = by_rows ? result.col_indices : result.row_indices;
  major = expand_offsets({archive, path, "indptr"}, count, by_rows ? result.rows : result.cols);
  minor = read_positions({archive, path, "indices"}, count, by_rows ? result.cols : result.rows);
  // scipy ignores what stands behind the last offset, the spare room of a matrix that shrank.
  minor.resize(major.size());
  result.values.resize(major.size());
}

template <class T>
void read_coordinates(const ZipArchive& archive, const std::filesystem::path& path, Triplets<T>& result) {
  const auto count = static_cast<Index>(result.values.size());
  if (archive.has("row.npy") || !archive.has("coords.npy")) {
    result.row_indices = read_positions({archive, path, "row"}, count, result.rows);
    result.col_indices = read_positions({archive, path, "col"}, count, result.cols);
    return;
  }
  Array coords(archive, path, "coords");
  coords.expect_size(2 * count, "two for every entry of data");
  coords.read<Index>([&](std::span<const Index> block) {
    const std::size_t missing = result.values.size() - result.row_indices.size();
    const std::size_t rows_here = std::min(missing, block.size());
    append_positions(coords, block.first(rows_here), result.rows, result.row_indices);
    append_positions(coords, block.subspan(rows_here), result.cols, result.col_indices);
  });
}

}  // namespace

template <class T>
Triplets<T> read_npz_sparse(const std::filesystem::path& path) {
  const ZipArchive archive(path);
  const std::string format = read_npy_text(*archive.open("format.npy"), npz_array_name(path, "format"));
  if (format != "csr" && format != "csc" && format != "coo") {
    throw InvalidInput(
        fmt::format("{}: sparse format {} found, expected 'csr', 'csc' or 'coo'. In Python, "
                    "matrix.tocsr() converts it.",
                    path.string(), in_quotes(format)));
  }
  Triplets<T> result;
  std::tie(result.rows, result.cols) = read_shape({archive, path, "shape"});
  result.values = read_values<T>({archive, path, "data"});
  if (format == "coo") {
    read_coordinates(archive, path, result);
  } else {
    read_compressed(archive, path, format == "csr", result);
  }
  return result;
}

template Triplets<float> read_npz_sparse<float>(const std::filesystem::path&);
template Triplets<double> read_npz_sparse<double>(const std::filesystem::path&);

}  // namespace anmf::io
