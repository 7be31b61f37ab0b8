// SPDX-License-Identifier: MIT
// What the readers of sparse matrices in text share: positions, values, and entries that are appended.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>

#include "anmf/io.h"
#include "io/gzip_stream.h"
#include "io/input_file.h"
#include "io/text_number.h"

namespace anmf::io {

inline constexpr Index kMostSparseRows = std::numeric_limits<std::uint32_t>::max();

/// A whole number from `least` to `most`; `name` says in the message what it is.
[[nodiscard]] inline Index read_whole(const LineReader& reader, std::string_view token, std::string_view name,
                                      Index least, Index most) {
  Index value = 0;
  const Parsed parsed = parse_number(token, value);
  if (parsed == Parsed::kMalformed) {
    reader.fail(fmt::format("the {} is {}, expected a whole number.", name, in_quotes(token)));
  }
  if (parsed == Parsed::kTooLarge || value < least || value > most) {
    reader.fail(fmt::format("the {} is {}, expected {} to {}.", name, token.substr(0, 40), least, most));
  }
  return value;
}

template <class T>
[[nodiscard]] T read_entry_value(const LineReader& reader, std::string_view token) {
  T value{};
  const Parsed parsed = parse_number(token, value);
  if (parsed == Parsed::kMalformed) {
    reader.fail(fmt::format("value {} is not a number.", in_quotes(token)));
  }
  if (parsed == Parsed::kTooLarge) {
    reader.fail(fmt::format("value {} is too large for {} precision.", in_quotes(token),
                            std::is_same_v<T, float> ? "single" : "double"));
  }
  return value;
}

template <class T>
void append_entry(Triplets<T>& triplets, Index row, Index col, T value) {
  triplets.row_indices.push_back(static_cast<std::uint32_t>(row));
  triplets.col_indices.push_back(static_cast<std::uint32_t>(col));
  triplets.values.push_back(value);
}

}  // namespace anmf::io
