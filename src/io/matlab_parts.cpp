// SPDX-License-Identifier: MIT
#include "io/matlab_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <string_view>
#include <type_traits>
#include <vector>

#include "anmf/error.h"

namespace anmf::io {

namespace {

template <class S>
S stored_at(const unsigned char* bytes, bool big_endian) {
  std::array<unsigned char, sizeof(S)> raw{};
  std::memcpy(raw.data(), bytes, sizeof(S));
  if (big_endian != (std::endian::native == std::endian::big)) std::reverse(raw.begin(), raw.end());
  return std::bit_cast<S>(raw);
}

// True if the value is one of T's, but for its last digits.
template <class T, class S>
bool fits(S value) {
  if constexpr (std::is_same_v<T, Index>) {
    if constexpr (std::is_floating_point_v<S>)
      return std::trunc(value) == value && std::abs(value) < S{1LL << 52};
    if constexpr (std::is_same_v<S, std::uint64_t>)
      return value <= static_cast<std::uint64_t>(std::numeric_limits<Index>::max());
  }
  if constexpr (std::is_same_v<T, float> && std::is_same_v<S, double>)
    return !std::isfinite(value) || std::abs(value) <= std::numeric_limits<float>::max();
  return true;
}

/// Calls use.operator()<S>() with the type S that the number stands for; false if it is none of numbers.
template <class Use>
bool with_type(std::uint32_t type, const Use& use) {
  switch (type) {
    case 1:
      return use.template operator()<std::int8_t>(), true;
    case 2:
      return use.template operator()<std::uint8_t>(), true;
    case 3:
      return use.template operator()<std::int16_t>(), true;
    case 4:
      return use.template operator()<std::uint16_t>(), true;
    case 5:
      return use.template operator()<std::int32_t>(), true;
    case 6:
      return use.template operator()<std::uint32_t>(), true;
    case 7:
      return use.template operator()<float>(), true;
    case 9:
      return use.template operator()<double>(), true;
    case 12:
      return use.template operator()<std::int64_t>(), true;
    case 13:
      return use.template operator()<std::uint64_t>(), true;
    default:
      return false;
  }
}

}  // namespace

std::uint32_t matlab_word(const unsigned char* bytes, bool big_endian) {
  return stored_at<std::uint32_t>(bytes, big_endian);
}

MatlabPart MatlabParts::next(std::string_view what) {
  if (rest_.size() < kMatlabTagBytes) {
    throw InvalidInput(fmt::format("{}: the variable ends before its {}.", where_, what));
  }
  const std::uint32_t word = matlab_word(rest_.data(), big_endian_);
  const std::uint32_t short_length = word >> 16;
  if (short_length != 0) {
    if (short_length > 4) {
      throw InvalidInput(fmt::format("{}: {} bytes are promised for its {} within a tag, expected at most 4.",
                                     where_, short_length, what));
    }
    const MatlabPart part{.type = word & 0xffff, .bytes = rest_.subspan(4, short_length)};
    rest_ = rest_.subspan(kMatlabTagBytes);
    return part;
  }
  const std::size_t length = matlab_word(rest_.data() + 4, big_endian_);
  rest_ = rest_.subspan(kMatlabTagBytes);
  if (length > rest_.size()) {
    throw InvalidInput(fmt::format("{}: {} bytes are promised for its {}, but only {} follow.", where_,
                                   length, what, rest_.size()));
  }
  const MatlabPart part{.type = word, .bytes = rest_.first(length)};
  rest_ = rest_.subspan(
      std::min((length + kMatlabTagBytes - 1) / kMatlabTagBytes * kMatlabTagBytes, rest_.size()));
  return part;
}

MatlabNumbers::MatlabNumbers(const MatlabPart& part, bool big_endian, std::string name)
    : part_(part), big_endian_(big_endian), name_(std::move(name)) {
  const bool known =
      with_type(part.type, [&]<class S>() { size_ = static_cast<Index>(part.bytes.size() / sizeof(S)); });
  if (!known) fail(fmt::format("data of type {} found, expected numbers (1 to 7, 9, 12 or 13).", part.type));
}

template <class T>
void MatlabNumbers::read_as(const Visit<T>& visit) const {
  with_type(part_.type, [&]<class S>() {
    constexpr Index kNumbersAtOnce = Index{1} << 16;
    std::vector<T> block;
    for (Index first = 0; first < size_; first += kNumbersAtOnce) {
      block.clear();
      for (Index i = first; i < std::min(first + kNumbersAtOnce, size_); ++i) {
        const S value =
            stored_at<S>(part_.bytes.data() + static_cast<std::size_t>(i) * sizeof(S), big_endian_);
        if (!fits<T>(value)) {
          fail(fmt::format(
              "entry {}, counted from 0, is {}, {}.", i, value,
              std::is_same_v<T, Index> ? "expected a whole number" : "too large for single precision"));
        }
        block.push_back(static_cast<T>(value));
      }
      visit(block);
    }
  });
}

template void MatlabNumbers::read_as<Index>(const Visit<Index>&) const;
template void MatlabNumbers::read_as<float>(const Visit<float>&) const;
template void MatlabNumbers::read_as<double>(const Visit<double>&) const;
template void MatlabNumbers::read_as<std::uint8_t>(const Visit<std::uint8_t>&) const;
template void MatlabNumbers::read_as<std::uint16_t>(const Visit<std::uint16_t>&) const;

}  // namespace anmf::io
