// SPDX-License-Identifier: MIT
// Tables of numbers in text, such as .csv and .tsv, with or without names of rows and columns.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "anmf/io.h"
#include "io/gzip_stream.h"
#include "io/input_file.h"
#include "io/own.h"
#include "io/table_layout.h"
#include "io/text_fields.h"
#include "io/text_formats.h"
#include "io/text_number.h"

namespace anmf::io {

namespace {

std::vector<std::string> split(std::string_view line, char separator) {
  std::vector<std::string> result;
  Fields fields(line, separator);
  while (fields.next()) result.emplace_back(fields.field());
  return result;
}

std::string checked_name(const LineReader& reader, std::string_view name) {
  if (!is_utf8(name)) reader.fail(fmt::format("the name {} is not UTF-8.", in_quotes(name)));
  return std::string(name);
}

template <class T>
T read_value(const LineReader& reader, std::string_view field, std::size_t number, bool gaps) {
  T value{};
  const Parsed parsed = parse_number(field, value);
  if (parsed == Parsed::kOk) return value;
  if (gaps && is_gap(field)) return std::numeric_limits<T>::quiet_NaN();
  if (field.empty()) reader.fail(fmt::format("field {} is empty, expected a number.", number));
  if (parsed == Parsed::kMalformed) {
    reader.fail(fmt::format("field {} is {}, expected a number.", number, in_quotes(field)));
  }
  reader.fail(fmt::format("field {}, {}, is too large for {} precision.", number, in_quotes(field),
                          std::is_same_v<T, float> ? "single" : "double"));
}

[[noreturn]] void fail_field_count(const LineReader& reader, const TableLayout& layout) {
  const std::size_t found = count_fields(without_marks(reader.line()), layout.separator);
  reader.fail(fmt::format("{} field{} found, expected {} as in line {}.", found, found == 1 ? "" : "s",
                          layout.fields, layout.model_line));
}

std::vector<std::string> read_header(const LineReader& reader, const TableLayout& layout) {
  std::vector<std::string> names = split(without_marks(reader.line()), layout.separator);
  for (const std::string& name : names) static_cast<void>(checked_name(reader, name));
  if (layout.has_row_names && names.size() == layout.fields) names.erase(names.begin());
  return names;
}

// Appends the numbers of the current line.
template <class T, class Values>
void read_row(const LineReader& reader, const TableLayout& layout, bool gaps, Values& values,
              std::vector<std::string>& row_names) {
  Fields fields(without_marks(reader.line()), layout.separator);
  std::size_t count = 0;
  while (fields.next()) {
    if (fields.unclosed()) reader.fail(fmt::format("the quotes of field {} are not closed.", count + 1));
    if (++count > layout.fields) fail_field_count(reader, layout);
    if (count == 1 && layout.has_row_names) {
      row_names.push_back(checked_name(reader, fields.field()));
    } else {
      values.push_back(read_value<T>(reader, fields.field(), count, gaps));
    }
  }
  if (count != layout.fields) fail_field_count(reader, layout);
}

// So that the values need not move while they grow.
Index count_rows(const std::filesystem::path& path, const TableLayout& layout) {
  LineReader reader(path, longest_line_bytes(path));
  Index count = layout.has_header ? -1 : 0;
  for (bool first = true; next_table_line(reader, first); first = false) ++count;
  return count;
}

// Of a whole line, and no more of all lines than a text of this size can hold: some may be too short.
StoredSizes sizes_of(const std::filesystem::path& path, const TableLayout& layout) {
  StoredSizes sizes;
  sizes.rows = count_rows(path, layout);
  sizes.cols = static_cast<Index>(layout.fields) - (layout.has_row_names ? 1 : 0);
  // A number takes a digit and a separator.
  const LineReader reader(path);
  const auto most = static_cast<Index>(reader.most_text_bytes() / 2 + 1);
  if (__builtin_mul_overflow(sizes.rows, sizes.cols, &sizes.entries)) sizes.entries = most;
  sizes.entries = std::min(sizes.entries, most);
  return sizes;
}

}  // namespace

StoredSizes table_sizes(const std::filesystem::path& path, Header header) {
  return sizes_of(path, find_table_layout(path, header));
}

namespace {

template <class T>
Table<T> read_lines(const std::filesystem::path& path, Header header, bool gaps) {
  const TableLayout layout = find_table_layout(path, header, gaps);
  const StoredSizes expected = sizes_of(path, layout);

  LineReader reader(path, longest_line_bytes(path));
  Table<T> result;
  std::vector<T, detail::Allocator<T>> values;
  values.reserve(static_cast<std::size_t>(expected.entries));
  Index rows = 0;
  for (bool first = true; next_table_line(reader, first); first = false) {
    if (first && layout.has_header) {
      result.col_names = read_header(reader, layout);
    } else {
      read_row<T>(reader, layout, gaps, values, result.row_names);
      ++rows;
    }
  }
  result.matrix = Matrix<T>(rows, expected.cols, std::move(values));
  return result;
}

}  // namespace

template <class T>
Table<T> read_table(const std::filesystem::path& path, Header header) {
  return read_lines<T>(path, header, false);
}

template <class T>
LoadedMatrix<T> load_table(const std::filesystem::path& path, const Reading& reading, Header header) {
  Table<T> table = read_lines<T>(path, header, reading.missing == Missing::nan);
  LoadedMatrix<T> result = own_dense<T>(path, std::move(table.matrix), reading);
  result.row_names = std::move(table.row_names);
  result.col_names = std::move(table.col_names);
  return result;
}

template Table<float> read_table<float>(const std::filesystem::path&, Header);
template Table<double> read_table<double>(const std::filesystem::path&, Header);
template LoadedMatrix<float> load_table(const std::filesystem::path&, const Reading&, Header);
template LoadedMatrix<double> load_table(const std::filesystem::path&, const Reading&, Header);

}  // namespace anmf::io
