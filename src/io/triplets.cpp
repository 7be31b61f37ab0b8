// SPDX-License-Identifier: MIT
// Lines "ROW COLUMN VALUE", perhaps with a time behind them, as ratings and events are kept: the names of
// rows and columns are whatever stands there, and only those that occur are rows and columns.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "anmf/io.h"
#include "io/gzip_stream.h"
#include "io/input_file.h"
#include "io/own.h"
#include "io/sparse_text.h"
#include "io/text_fields.h"
#include "io/text_formats.h"
#include "io/text_number.h"
#include "io/triplet_lines.h"

namespace anmf::io {

namespace {

/// The names that have occurred, each with the number of its first occurrence.
class NameNumbers {
 public:
  std::uint32_t number_of(const LineReader& reader, std::string_view name) {
    if (name.empty()) reader.fail("the name of a row or column is empty.");
    if (!is_utf8(name)) reader.fail(fmt::format("the name {} is not UTF-8.", in_quotes(name)));
    const auto found = numbers_.find(std::string(name));
    if (found != numbers_.end()) return found->second;
    if (std::cmp_greater_equal(names_.size(), kMostSparseRows)) reader.fail("there are too many names.");
    const auto next = static_cast<std::uint32_t>(names_.size());
    numbers_.emplace(name, next);
    names_.emplace_back(name);
    return next;
  }

  /// The names in their order, as numbers if all of them are, and in `numbers` their places.
  std::vector<std::string> sorted(std::vector<std::uint32_t>& numbers) {
    std::vector<std::int64_t> values(names_.size());
    bool whole = true;
    for (std::size_t k = 0; k < names_.size(); ++k)
      whole = whole && parse_number(names_[k], values[k]) == Parsed::kOk;
    std::vector<std::uint32_t> order(names_.size());
    std::iota(order.begin(), order.end(), 0U);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      if (whole && values[a] != values[b]) return values[a] < values[b];
      return names_[a] < names_[b];
    });
    std::vector<std::uint32_t> place(names_.size());
    std::vector<std::string> result;
    result.reserve(names_.size());
    for (const std::uint32_t k : order) {
      place[k] = static_cast<std::uint32_t>(result.size());
      result.push_back(std::move(names_[k]));
    }
    for (std::uint32_t& number : numbers) number = place[number];
    return result;
  }

 private:
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::vector<std::string> names_;
};

bool is_blank(std::string_view line) { return line.find_first_not_of(" \t\r") == std::string_view::npos; }

}  // namespace

template <class T>
NamedTriplets<T> read_triplets(const std::filesystem::path& path) {
  LineReader reader(path);
  NamedTriplets<T> result;
  NameNumbers rows;
  NameNumbers columns;
  Triplets<T>& triplets = result.triplets;
  std::size_t expected = 0;  // fields
  std::string separator;
  std::vector<std::string> fields;
  while (reader.next()) {
    const std::string_view line = without_marks(reader.line());
    if (is_blank(line) || (expected == 0 && line.starts_with("# "))) continue;
    const bool first = expected == 0;
    if (first) separator = find_triplet_separator(line);
    split_triplet(line, separator, fields);
    if (first) expected = fields.size();
    if (fields.size() != expected || expected < 3 || expected > 4) {
      reader.fail(fmt::format("{} found, expected {}: ROW COLUMN VALUE, and perhaps a time.",
                              counted(static_cast<Index>(fields.size()), "field"),
                              first || expected < 3 || expected > 4 ? "3 or 4" : std::to_string(expected)));
    }
    if (first && !reads_as_number(fields[2])) continue;  // names of the columns of this list
    const T value = read_entry_value<T>(reader, fields[2]);
    const std::uint32_t row = rows.number_of(reader, fields[0]);
    append_entry(triplets, Index{row}, Index{columns.number_of(reader, fields[1])}, value);
  }
  if (triplets.values.empty()) reader.fail("the file ends before the first line ROW COLUMN VALUE.");
  result.names.rows = rows.sorted(triplets.row_indices);
  result.names.cols = columns.sorted(triplets.col_indices);
  triplets.rows = static_cast<Index>(result.names.rows.size());
  triplets.cols = static_cast<Index>(result.names.cols.size());
  return result;
}

template <class T>
LoadedMatrix<T> load_triplets(const std::filesystem::path& path, const Reading& reading) {
  NamedTriplets<T> read = read_triplets<T>(path);
  const auto lines = static_cast<Index>(read.triplets.values.size());
  // What is dropped on the way is not repeated.
  const bool drops_zeros = reading.missing != Missing::zeros;
  const auto dropped = std::ranges::count_if(read.triplets.values, [&](T value) {
    return (drops_zeros && value == T{0}) || (reading.missing == Missing::nan && std::isnan(value)) ||
           (drops_zeros && reading.negative == Negative::clip && value < T{0});
  });
  LoadedMatrix<T> result = own_sparse(path, std::move(read.triplets), reading);
  result.row_names = std::move(read.names.rows);
  result.col_names = std::move(read.names.cols);
  result.repeated = std::max<Index>(0, lines - dropped - result.data->nonzeros());
  return result;
}

template NamedTriplets<float> read_triplets(const std::filesystem::path&);
template NamedTriplets<double> read_triplets(const std::filesystem::path&);
template LoadedMatrix<float> load_triplets(const std::filesystem::path&, const Reading&);
template LoadedMatrix<double> load_triplets(const std::filesystem::path&, const Reading&);

}  // namespace anmf::io
