// SPDX-License-Identifier: MIT
#include "io/text_number.h"

#include <algorithm>
#include <cstdint>

namespace anmf::io {

bool rounds_to_zero(std::string_view number) {
  const std::size_t exponent_mark = number.find_first_of("eE");
  const std::string_view mantissa = number.substr(0, exponent_mark);
  const std::size_t leading = mantissa.find_first_of("123456789");
  if (leading == std::string_view::npos) return true;
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  const std::int64_t scale = static_cast<std::int64_t>(point) - static_cast<std::int64_t>(leading);

  std::int64_t exponent = 0;
  if (exponent_mark != std::string_view::npos) {
    std::string_view digits = number.substr(exponent_mark + 1);
    if (digits.starts_with('+')) digits.remove_prefix(1);
    const auto error = std::from_chars(digits.data(), digits.data() + digits.size(), exponent).ec;
    // Far larger than any line is long, so the digits before the point cannot change the answer.
    constexpr std::int64_t kHuge = std::int64_t{1} << 40;
    const bool negative = digits.starts_with('-');
    if (error != std::errc{} || exponent > kHuge || exponent < -kHuge) return negative;
  }
  return exponent + scale < 0;
}

}  // namespace anmf::io
