// SPDX-License-Identifier: MIT
// What a variable of a MATLAB file of version 5 consists of: parts of a type and a length, each padded to 8
// bytes. A part of at most 4 bytes may stand within its own tag.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "io/number_array.h"

namespace anmf::io {

using Bytes = std::span<const unsigned char>;

/// The type and the length before every part and before every variable.
inline constexpr std::size_t kMatlabTagBytes = 8;

[[nodiscard]] std::uint32_t matlab_word(const unsigned char* bytes, bool big_endian);

struct MatlabPart {
  std::uint32_t type = 0;
  Bytes bytes;
};

class MatlabParts {
 public:
  /// `where` is for messages.
  MatlabParts(Bytes bytes, bool big_endian, std::string where)
      : rest_(bytes), big_endian_(big_endian), where_(std::move(where)) {}

  /// The next part. Throws InvalidInput that says that `what` is missing or cut off.
  [[nodiscard]] MatlabPart next(std::string_view what);

 private:
  Bytes rest_;
  bool big_endian_;
  std::string where_;
};

/// A part as numbers, of whatever type they are stored in.
class MatlabNumbers final : public NumberArray {
 public:
  /// Throws InvalidInput if the part is none of numbers.
  MatlabNumbers(const MatlabPart& part, bool big_endian, std::string name);

  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] Index size() const override { return size_; }
  /// Forgets the entries behind the first `count`.
  void shorten(Index count) { size_ = std::min(size_, count); }
  [[nodiscard]] std::uint32_t type() const { return part_.type; }

  void read(const Visit<Index>& visit) override { read_as(visit); }
  void read(const Visit<float>& visit) override { read_as(visit); }
  void read(const Visit<double>& visit) override { read_as(visit); }
  void read(const Visit<std::uint8_t>& visit) { read_as(visit); }
  void read(const Visit<std::uint16_t>& visit) { read_as(visit); }

 private:
  template <class T>
  void read_as(const Visit<T>& visit) const;

  MatlabPart part_;
  bool big_endian_;
  std::string name_;
  Index size_ = 0;
};

/// The type of parts that hold entries of type S.
template <class S>
inline constexpr std::uint32_t kMatlabType = 0;
template <>
inline constexpr std::uint32_t kMatlabType<std::uint8_t> = 2;
template <>
inline constexpr std::uint32_t kMatlabType<std::uint16_t> = 4;
template <>
inline constexpr std::uint32_t kMatlabType<float> = 7;

}  // namespace anmf::io
