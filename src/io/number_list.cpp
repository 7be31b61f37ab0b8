// SPDX-License-Identifier: MIT
// Numbers of rows or columns that stand in a file of their own.
#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

#include "anmf/error.h"
#include "anmf/io.h"
#include "io/gzip_stream.h"
#include "io/input_file.h"
#include "io/npy_reader.h"
#include "io/sparse_text.h"
#include "io/text_fields.h"
#include "io/text_number.h"

namespace anmf::io {
namespace {

std::vector<double> read_npy_numbers(const std::filesystem::path& path) {
  InputFile file(path);
  const NpyHeader header = read_npy_array_header(file, path);
  if (std::ranges::count_if(header.shape, [](Index length) { return length > 1; }) > 1) {
    throw InvalidInput(
        fmt::format("{}: is {}, expected a list of numbers.", path.string(), fmt::join(header.shape, " x ")));
  }
  std::vector<double> numbers;
  numbers.reserve(static_cast<std::size_t>(header.count));
  read_npy_entries<double>(file, header, path, [&](std::span<const double> entries) {
    numbers.insert(numbers.end(), entries.begin(), entries.end());
  });
  return numbers;
}

}  // namespace

std::vector<double> read_numbers(const std::filesystem::path& path) {
  LineReader reader(path);
  if (reader.peek().starts_with(kNpyMagic)) return read_npy_numbers(path);
  std::vector<double> numbers;
  while (reader.next()) {
    Tokens tokens(without_marks(reader.line()));
    const std::string_view token = tokens.next();
    if (token.empty()) continue;
    numbers.push_back(read_entry_value<double>(reader, token));
    if (!tokens.next().empty()) reader.fail("there is more than one number, expected one in each line.");
  }
  if (numbers.empty()) {
    throw InvalidInput(fmt::format("{}: holds no number, expected one in each line.", path.string()));
  }
  return numbers;
}

}  // namespace anmf::io
