// SPDX-License-Identifier: MIT
// The header is "P5" (grey) or "P6" (red, green, blue), then width, height and the largest value, as numbers
// between blanks and comments, and one blank. Values above 255 have two bytes, the higher one first. The
// format: https://netpbm.sourceforge.net/doc/pgm.html
#include "io/pnm_decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <system_error>
#include <vector>

#include "io/grey.h"
#include "io/input_file.h"

namespace anmf::io {

namespace {

bool is_blank(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

// The next number of the header, behind which `at` is left.
std::size_t header_number(std::string_view bytes, std::size_t& at) {
  for (; at < bytes.size() && (is_blank(bytes[at]) || bytes[at] == '#'); ++at) {
    if (bytes[at] == '#') at = std::min(bytes.find('\n', at), bytes.size() - 1);
  }
  std::size_t number = 0;
  const auto [stop, error] = std::from_chars(bytes.data() + at, bytes.data() + bytes.size(), number);
  if (error != std::errc{}) {
    throw std::runtime_error(fmt::format(
        "{} found at byte {}, expected one of the numbers of its header: width, height, largest value",
        at < bytes.size() ? in_quotes(bytes.substr(at, 16)) : "its end", at));
  }
  at = static_cast<std::size_t>(stop - bytes.data());
  return number;
}

template <class P>
std::vector<P> grey_values(std::string_view bytes, std::size_t channels) {
  const auto value = [&](std::size_t k) {
    std::uint32_t result = 0;
    for (std::size_t i = 0; i < sizeof(P); ++i)
      result = result << 8 | static_cast<unsigned char>(bytes[k * sizeof(P) + i]);
    return result;
  };
  std::vector<P> result(bytes.size() / sizeof(P) / channels);
  for (std::size_t k = 0; k < result.size(); ++k) {
    const std::size_t first = k * channels;
    result[k] =
        static_cast<P>(channels == 1 ? value(first) : grey(value(first), value(first + 1), value(first + 2)));
  }
  return result;
}

}  // namespace

bool starts_as_pnm(std::string_view bytes) { return bytes.starts_with("P5") || bytes.starts_with("P6"); }

Image decode_pnm(std::string_view bytes) {
  std::size_t at = 2;
  const std::size_t width = header_number(bytes, at);
  const std::size_t height = header_number(bytes, at);
  const std::size_t largest = header_number(bytes, at);
  constexpr std::size_t kLargest = 65535;
  if (width < 1 || height < 1 || largest < 1 || largest > kLargest) {
    throw std::runtime_error(
        fmt::format("its header says {} x {} pixels of values up to {}, expected at least one pixel and "
                    "values up to 1 to {}",
                    height, width, largest, kLargest));
  }
  const std::size_t channels = bytes[1] == '6' ? 3 : 1;
  const bool wide = largest > 255;
  const std::string_view pixels = bytes.substr(std::min(at + 1, bytes.size()));
  std::size_t needed = 0;
  if (__builtin_mul_overflow(width, height, &needed) ||
      __builtin_mul_overflow(needed, channels * (wide ? 2 : 1), &needed) || needed > pixels.size()) {
    throw std::runtime_error(fmt::format("{} x {} pixels of {} are promised, but only {} follow", height,
                                         width,
                                         counted(static_cast<Index>(channels * (wide ? 2 : 1)), "byte"),
                                         counted(static_cast<Index>(pixels.size()), "byte")));
  }
  Image image{.height = static_cast<Index>(height), .width = static_cast<Index>(width), .pixels = {}};
  if (wide) {
    image.pixels = grey_values<std::uint16_t>(pixels.substr(0, needed), channels);
  } else {
    image.pixels = grey_values<std::uint8_t>(pixels.substr(0, needed), channels);
  }
  return image;
}

}  // namespace anmf::io
