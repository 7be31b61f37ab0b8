// SPDX-License-Identifier: MIT
// The entries of Matrix Market files.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "anmf/io.h"
#include "io/gzip_stream.h"
#include "io/input_file.h"
#include "io/matrix_market_header.h"
#include "io/own.h"
#include "io/sparse_text.h"
#include "io/text_formats.h"
#include "io/text_number.h"

namespace anmf::io {

namespace {

[[noreturn]] void fail_token_count(const LineReader& reader, std::string_view expected) {
  reader.fail(fmt::format("{} found, expected {}.", counted(count_tokens(reader.line()), "token"), expected));
}

std::string_view layout(const MarketHeader& header) {
  if (header.dense) return "1: VALUE";
  return header.pattern ? "2: ROW COLUMN" : "3: ROW COLUMN VALUE";
}

// A 1-based position of the file as a 0-based one.
Index read_position(const LineReader& reader, std::string_view token, Index size, std::string_view name) {
  Index position = 0;
  const Parsed parsed = parse_number(token, position);
  if (parsed == Parsed::kMalformed) {
    reader.fail(fmt::format("{} index {} is not a whole number.", name, in_quotes(token)));
  }
  if (parsed == Parsed::kTooLarge || position < 1 || position > size) {
    const std::string_view shown = token.substr(0, 40);
    if (size == 0) reader.fail(fmt::format("{} index {} in a matrix without {}s.", name, shown, name));
    reader.fail(fmt::format("{} index {} is outside 1..{}.", name, shown, size));
  }
  return position - 1;
}

template <class T>
T read_value(const LineReader& reader, std::string_view token, bool integer) {
  const T value = read_entry_value<T>(reader, token);
  if (integer && std::trunc(value) != value) {
    reader.fail(fmt::format("value {} is not a whole number, though line 1 says integer.", in_quotes(token)));
  }
  return value;
}

// Calls read_entry(first token, tokens) for every line that is not blank, and checks their number.
template <class ReadEntry>
void for_each_entry(LineReader& reader, const MarketHeader& header, const ReadEntry& read_entry) {
  Index count = 0;
  while (reader.next()) {
    Tokens tokens(reader.line());
    const std::string_view first = tokens.next();
    if (first.empty()) continue;
    if (count == header.entries) {
      reader.fail(
          fmt::format("an entry beyond the {} that line {} promises.", header.entries, header.size_line));
    }
    read_entry(first, tokens);
    if (!tokens.next().empty()) fail_token_count(reader, layout(header));
    ++count;
  }
  if (count != header.entries) {
    reader.fail(fmt::format("the file ends after {}, but line {} promises {}.", counted(count, "entry"),
                            header.size_line, header.entries));
  }
}

// Room for the entries that the header promises, but for no more than a file of this size can
// reasonably hold: the header may lie.
template <class T>
void reserve(Triplets<T>& triplets, const LineReader& reader, const MarketHeader& header) {
  constexpr std::uint64_t kShortestEntry = 4;      // "1 1\n"
  constexpr std::uint64_t kUsualCompression = 16;  // numbers in text rarely shrink more
  constexpr std::uint64_t kAlways = std::uint64_t{1} << 20;
  const std::uint64_t text_bytes = reader.bytes_on_disk() * (reader.compressed() ? kUsualCompression : 1);
  std::uint64_t count =
      std::min(static_cast<std::uint64_t>(header.entries), std::max(text_bytes / kShortestEntry, kAlways));
  if (header.symmetric) count *= 2;
  triplets.row_indices.reserve(count);
  triplets.col_indices.reserve(count);
  triplets.values.reserve(count);
}

template <class T>
Triplets<T> read_coordinates(LineReader& reader, const MarketHeader& header) {
  if (header.rows > kMostSparseRows || header.cols > kMostSparseRows) {
    reader.fail_at(header.size_line,
                   fmt::format("the matrix is {} x {}; a sparse matrix may have at most {} rows "
                               "and columns.",
                               header.rows, header.cols, kMostSparseRows));
  }

  Triplets<T> triplets;
  triplets.rows = header.rows;
  triplets.cols = header.cols;
  reserve(triplets, reader, header);
  for_each_entry(reader, header, [&](std::string_view row_token, Tokens& tokens) {
    const std::string_view col_token = tokens.next();
    const std::string_view value_token = header.pattern ? "1" : tokens.next();
    if (col_token.empty() || value_token.empty()) fail_token_count(reader, layout(header));
    const Index row = read_position(reader, row_token, header.rows, "row");
    const Index col = read_position(reader, col_token, header.cols, "column");
    const T value = header.pattern ? T{1} : read_value<T>(reader, value_token, header.integer);
    if (header.symmetric && col > row) {
      reader.fail(fmt::format("entry ({}, {}) is above the diagonal; a symmetric file holds only the others.",
                              row + 1, col + 1));
    }
    append_entry(triplets, row, col, value);
    // The mirror image: row and column change places.
    // NOLINTNEXTLINE(readability-suspicious-call-argument)
    if (header.symmetric && row != col) append_entry(triplets, col, row, value);
  });
  return triplets;
}

template <class T>
Matrix<T> read_array(LineReader& reader, const MarketHeader& header) {
  Matrix<T> matrix(header.rows, header.cols);
  Index row = 0;
  Index col = 0;
  for_each_entry(reader, header, [&](std::string_view token, Tokens&) {
    const T value = read_value<T>(reader, token, header.integer);
    matrix(row, col) = value;
    if (header.symmetric) matrix(col, row) = value;
    if (++row == header.rows) {
      ++col;
      row = header.symmetric ? col : 0;
    }
  });
  return matrix;
}

}  // namespace

bool matrix_market_is_dense(const std::filesystem::path& path) {
  LineReader reader(path);
  return read_market_banner(reader).dense;
}

template <class T>
Triplets<T> read_matrix_market(const std::filesystem::path& path) {
  LineReader reader(path);
  const MarketHeader header = read_market_header(reader);
  if (header.dense) reader.fail_at(1, "format array found, expected coordinate.");
  return read_coordinates<T>(reader, header);
}

template <class T>
Matrix<T> read_matrix_market_array(const std::filesystem::path& path) {
  LineReader reader(path);
  const MarketHeader header = read_market_header(reader);
  if (!header.dense) reader.fail_at(1, "format coordinate found, expected array.");
  return read_array<T>(reader, header);
}

template <class T>
LoadedMatrix<T> load_matrix_market(const std::filesystem::path& path, const Reading& reading) {
  std::optional<LineReader> reader(path);
  const MarketHeader header = read_market_header(*reader);
  if (header.dense) return own_dense<T>(path, read_array<T>(*reader, header), reading);
  Triplets<T> triplets = read_coordinates<T>(*reader, header);
  reader.reset();  // its buffer is not in memory beside what is made of the triplets
  return own_sparse(path, std::move(triplets), reading);
}

StoredSizes matrix_market_sizes(const std::filesystem::path& path) {
  LineReader reader(path);
  const MarketHeader header = read_market_header(reader);
  StoredSizes sizes{header.rows, header.cols, header.entries, !header.dense};
  if (header.dense) sizes.entries = header.rows * header.cols;  // which read_market_header() has checked
  return sizes;
}

template Triplets<float> read_matrix_market<float>(const std::filesystem::path&);
template Triplets<double> read_matrix_market<double>(const std::filesystem::path&);
template Matrix<float> read_matrix_market_array<float>(const std::filesystem::path&);
template Matrix<double> read_matrix_market_array<double>(const std::filesystem::path&);
template LoadedMatrix<float> load_matrix_market(const std::filesystem::path&, const Reading&);
template LoadedMatrix<double> load_matrix_market(const std::filesystem::path&, const Reading&);

}  // namespace anmf::io
