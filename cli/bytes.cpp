// SPDX-License-Identifier: MIT
#include "bytes.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstddef>

namespace anmf::cli {

std::string format_bytes(double bytes) {
  constexpr std::array<std::string_view, 5> kUnits = {"KB", "MB", "GB", "TB", "PB"};
  if (bytes < 1000) return fmt::format("{:.0f} bytes", bytes);
  std::size_t unit = 0;
  double value = bytes / 1000;
  while (value >= 999.5 && unit + 1 < kUnits.size()) {
    value /= 1000;
    ++unit;
  }
  return fmt::format("{:.3g} {}", value, kUnits[unit]);
}

std::optional<double> parse_bytes(std::string_view text) {
  constexpr std::string_view kLetters = "KMGT";
  double value = 0;
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const auto [stop, error] = std::from_chars(begin, end, value);
  std::string_view unit(stop, static_cast<std::size_t>(end - stop));
  if (unit.ends_with('B')) unit.remove_suffix(1);
  double base = 1000;
  if (unit.size() == 2 && unit[1] == 'i') {
    base = 1024;
    unit.remove_suffix(1);
  }
  const std::size_t power = unit.empty() ? 0 : kLetters.find(unit) + 1;  // 0 if not found, too
  const bool good = error == std::errc{} && value > 0 && value < 1e18 && base * value > 0 &&
                    (unit.empty() ? base == 1000 : unit.size() == 1 && power > 0);
  if (!good) return std::nullopt;
  for (std::size_t k = 0; k < power; ++k) value *= base;
  return value;
}

}  // namespace anmf::cli
