// SPDX-License-Identifier: MIT
// Values as the documents of the report have them.
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "labels.h"

namespace anmf::report {

using Json = nlohmann::ordered_json;  // people read run.json, so its keys keep their order

/// JSON has no infinity and no NaN.
[[nodiscard]] inline Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }
[[nodiscard]] inline Json number(Index value) { return value; }
[[nodiscard]] inline Json number(bool value) { return value; }

[[nodiscard]] inline std::string_view name_of(Axis axis) { return axis == Axis::rows ? "rows" : "columns"; }

inline constexpr std::size_t kLongestName = 200;  // bytes; more cannot be read on a page

/// Cut between characters: bytes 10xxxxxx continue one.
[[nodiscard]] inline std::string shortened(const std::string& name) {
  if (name.size() <= kLongestName) return name;
  std::size_t end = kLongestName;
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0U) == 0x80U) --end;
  return name.substr(0, end) + "\u2026";
}

/// The name of a row or column, or "row 3" where there are no names.
[[nodiscard]] inline std::string line_name(const std::vector<std::string>& names, Axis axis, Index i) {
  if (!names.empty()) return shortened(names[static_cast<std::size_t>(i)]);
  return (axis == Axis::rows ? "row " : "column ") + std::to_string(i + 1);
}

}  // namespace anmf::report
