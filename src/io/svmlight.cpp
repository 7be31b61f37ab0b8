// SPDX-License-Identifier: MIT
// svmlight (and libsvm) files: a line "LABEL [qid:N] INDEX:VALUE ... [# comment]" for every row. The labels
// are skipped. The number of columns is the largest index.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "anmf/io.h"
#include "io/gzip_stream.h"
#include "io/input_file.h"
#include "io/sparse_text.h"
#include "io/text_formats.h"
#include "io/text_number.h"

namespace anmf::io {

namespace {

// Appends the entries of a line, indices as they are. Returns false if there is no label either.
template <class T>
bool read_line(const LineReader& reader, Triplets<T>& triplets) {
  const std::string_view line = reader.line();
  Tokens tokens(line.substr(0, line.find('#')));
  const std::string_view label = tokens.next();
  if (label.empty()) return false;
  static_cast<void>(read_entry_value<double>(reader, label));
  for (std::string_view token = tokens.next(); !token.empty(); token = tokens.next()) {
    const std::size_t colon = token.find(':');
    if (colon == std::string_view::npos) {
      reader.fail(fmt::format("{} found, expected INDEX:VALUE.", in_quotes(token)));
    }
    if (token.substr(0, colon) == "qid") continue;
    const Index index = read_whole(reader, token.substr(0, colon), "index", 0, kMostSparseRows - 1);
    append_entry(triplets, triplets.rows, index, read_entry_value<T>(reader, token.substr(colon + 1)));
  }
  return true;
}

}  // namespace

StoredSizes svmlight_sizes(const std::filesystem::path& path) {
  LineReader reader(path, longest_line_bytes(path));
  StoredSizes sizes{.cols = 1, .sparse = true};
  while (reader.next()) {
    const std::string_view line = reader.line().substr(0, reader.line().find('#'));
    if (Tokens(line).next().empty()) continue;
    ++sizes.rows;
    sizes.entries += std::count(line.begin(), line.end(), ':');
    if (line.find(" qid:") != std::string_view::npos) --sizes.entries;
  }
  return sizes;
}

template <class T>
Triplets<T> read_svmlight(const std::filesystem::path& path) {
  LineReader reader(path, longest_line_bytes(path));
  Triplets<T> result;
  while (reader.next()) {
    if (!read_line(reader, result)) continue;
    if (++result.rows > kMostSparseRows) {
      reader.fail(fmt::format("more than {} rows; a sparse matrix may not have more.", kMostSparseRows));
    }
  }
  const auto& columns = result.col_indices;
  if (columns.empty()) return result;
  // Indices begin with 1, unless there is a 0: some programs count from there.
  const auto [least, largest] = std::minmax_element(columns.begin(), columns.end());
  const std::uint32_t first = *least == 0 ? 0 : 1;
  result.cols = Index{*largest} + 1 - first;
  for (std::uint32_t& column : result.col_indices) column -= first;
  return result;
}

template Triplets<float> read_svmlight<float>(const std::filesystem::path&);
template Triplets<double> read_svmlight<double>(const std::filesystem::path&);

}  // namespace anmf::io
