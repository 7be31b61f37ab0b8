// SPDX-License-Identifier: MIT
// The container of a sparse matrix in blocks, `.anmf`, as docs/formats.md describes it. All numbers have
// their lowest byte first.
//
//   start   16 bytes   magic, version (u32), layout ('r' or 'c'), 3 zeros
//   blocks             each: entries per line (u32), positions (u32), values
//   names              of rows, then of columns, each: length (u32) and text
//   index   24 each    per block: lines (u64), entries (u64), CRC-32 (u32), type of its values, 2 zeros
//   end     64 bytes   ContainerEnd, with the checksums of everything but the blocks
//
// What is known only at the end stands there, so that a file is written in one go; it is found from the end.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>

#include "anmf/matrix.h"

namespace anmf::io {

/// The first byte is no text, and the line ends reveal a transfer that changes them.
inline constexpr std::string_view kContainerMagic =
    "\x89"
    "ANMF\r\n\x1a";
inline constexpr std::string_view kContainerEndMark = "ANMF";
inline constexpr std::uint32_t kContainerVersion = 1;
inline constexpr std::size_t kContainerStartBytes = 16;
inline constexpr std::size_t kContainerIndexBytes = 24;
inline constexpr std::size_t kContainerEndBytes = 64;

/// The values of a block, by the two letters that NumPy has for them.
enum class ValueType : std::uint8_t { u1, u2, u4, f4, f8 };

struct ValueTypeName {
  std::string_view letters;
  std::size_t bytes;
};
inline constexpr std::array<ValueTypeName, 5> kValueTypes = {
    {{"u1", 1}, {"u2", 2}, {"u4", 4}, {"f4", 4}, {"f8", 8}}};

[[nodiscard]] constexpr const ValueTypeName& name_of(ValueType type) {
  return kValueTypes[static_cast<std::size_t>(type)];
}

/// Calls use.operator()<S>() with the type of C++.
template <class Use>
auto visit_value_type(ValueType type, const Use& use) {
  switch (type) {
    case ValueType::u1:
      return use.template operator()<std::uint8_t>();
    case ValueType::u2:
      return use.template operator()<std::uint16_t>();
    case ValueType::u4:
      return use.template operator()<std::uint32_t>();
    case ValueType::f4:
      return use.template operator()<float>();
    case ValueType::f8:
      break;
  }
  return use.template operator()<double>();
}

template <class S>
[[nodiscard]] S from_little_endian(const char* bytes) {
  std::array<char, sizeof(S)> raw{};
  std::memcpy(raw.data(), bytes, sizeof(S));
  if constexpr (std::endian::native == std::endian::big) std::reverse(raw.begin(), raw.end());
  return std::bit_cast<S>(raw);
}

template <class S>
void append_little_endian(std::string& bytes, S value) {
  auto raw = std::bit_cast<std::array<char, sizeof(S)>>(value);
  if constexpr (std::endian::native == std::endian::big) std::reverse(raw.begin(), raw.end());
  bytes.append(raw.data(), raw.size());
}

struct ContainerBlock {
  std::uint64_t position = 0;  ///< in the file; follows from those before it
  Index first_line = 0;        ///< the same
  Index lines = 0;
  Index entries = 0;
  std::uint32_t checksum = 0;
  ValueType type = ValueType::f8;

  [[nodiscard]] std::uint64_t bytes() const {
    return 4 * static_cast<std::uint64_t>(lines) +
           (4 + name_of(type).bytes) * static_cast<std::uint64_t>(entries);
  }
};

struct ContainerEnd {
  std::uint64_t rows = 0;
  std::uint64_t cols = 0;
  std::uint64_t nonzeros = 0;
  std::uint64_t blocks = 0;
  std::uint64_t row_name_bytes = 0;
  std::uint64_t col_name_bytes = 0;
  std::uint32_t names_checksum = 0;
  std::uint32_t index_checksum = 0;
};

}  // namespace anmf::io
