// SPDX-License-Identifier: MIT
// CLUTO's sparse matrices: the line "ROWS COLUMNS NONZEROS", then for every row a line "COLUMN VALUE COLUMN
// VALUE
// ...", columns counted from 1.
#include <fmt/format.h>

#include <limits>
#include <string_view>

#include "anmf/io.h"
#include "io/gzip_stream.h"
#include "io/input_file.h"
#include "io/name_list.h"
#include "io/names_beside.h"
#include "io/own.h"
#include "io/sparse_text.h"
#include "io/text_formats.h"
#include "io/text_number.h"

namespace anmf::io {

namespace {

constexpr Index kNoLimit = std::numeric_limits<Index>::max();

template <class T>
void read_row(const LineReader& reader, Index row, Triplets<T>& triplets) {
  Tokens tokens(reader.line());
  for (std::string_view token = tokens.next(); !token.empty(); token = tokens.next()) {
    const std::string_view value = tokens.next();
    if (value.empty()) {
      reader.fail(fmt::format("{} found, expected an even number: COLUMN VALUE COLUMN VALUE ...",
                              counted(count_tokens(reader.line()), "token")));
    }
    const Index column = read_whole(reader, token, "column", 1, triplets.cols);
    append_entry(triplets, row, column - 1, read_entry_value<T>(reader, value));
  }
}

StoredSizes read_cluto_sizes(LineReader& reader) {
  if (!reader.next()) reader.fail_at(1, "the file is empty, expected the line 'ROWS COLUMNS NONZEROS'.");
  if (count_tokens(reader.line()) != 3) {
    reader.fail(fmt::format("{} found, expected 'ROWS COLUMNS NONZEROS'.", in_quotes(reader.line())));
  }
  Tokens tokens(reader.line());
  StoredSizes sizes{.sparse = true};
  sizes.rows = read_whole(reader, tokens.next(), "number of rows", 0, kMostSparseRows);
  sizes.cols = read_whole(reader, tokens.next(), "number of columns", 0, kMostSparseRows);
  sizes.entries = read_whole(reader, tokens.next(), "number of nonzeros", 0, kNoLimit);
  return sizes;
}

}  // namespace

template <class T>
Triplets<T> read_cluto(const std::filesystem::path& path) {
  LineReader reader(path, longest_line_bytes(path));
  const StoredSizes sizes = read_cluto_sizes(reader);
  Triplets<T> result;
  result.rows = sizes.rows;
  result.cols = sizes.cols;
  Index row = 0;
  while (reader.next()) {
    if (row < result.rows) {
      read_row(reader, row++, result);
    } else if (count_tokens(reader.line()) != 0) {
      reader.fail(fmt::format("a row beyond the {} that line 1 promises.", result.rows));
    }
  }
  if (row != result.rows) {
    reader.fail(
        fmt::format("the file ends after {}, but line 1 promises {}.", counted(row, "row"), result.rows));
  }
  if (static_cast<Index>(result.values.size()) != sizes.entries) {
    reader.fail(fmt::format("the rows hold {}, but line 1 promises {}.",
                            counted(static_cast<Index>(result.values.size()), "entry"), sizes.entries));
  }
  return result;
}

StoredSizes cluto_sizes(const std::filesystem::path& path) {
  LineReader reader(path, longest_line_bytes(path));
  return read_cluto_sizes(reader);
}

template <class T>
LoadedMatrix<T> load_cluto(const std::filesystem::path& path, const Reading& reading) {
  LoadedMatrix<T> result = own_sparse(path, read_cluto<T>(path), reading);
  result.row_names = read_names_if_there(cluto_labels_beside(path, 'r'), result.data->rows());
  result.col_names = read_names_if_there(cluto_labels_beside(path, 'c'), result.data->cols());
  return result;
}

template Triplets<float> read_cluto<float>(const std::filesystem::path&);
template Triplets<double> read_cluto<double>(const std::filesystem::path&);
template LoadedMatrix<float> load_cluto(const std::filesystem::path&, const Reading&);
template LoadedMatrix<double> load_cluto(const std::filesystem::path&, const Reading&);

}  // namespace anmf::io
