// SPDX-License-Identifier: MIT
// A name as a field of a table in text.
#pragma once

#include <string>
#include <string_view>

#include "io/text_number.h"

namespace anmf::io {

/// In quotes where it must be: beyond what separates fields, where a reader would strip it, skip it as a
/// comment, or take the file for one of another format. If it is `alone` in its line, blanks separate fields.
[[nodiscard]] inline std::string as_field(std::string_view name, bool alone = false) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  const bool blanks = name.find(' ') != std::string_view::npos;
  const bool quotes = name.empty() || name.find_first_of("\",;\t") != std::string_view::npos ||
                      (blanks && (alone || name.starts_with(' ') || name.ends_with(' ') ||
                                  name.find(':') != std::string_view::npos)) ||
                      name.starts_with('#') || name.starts_with('%') || name.starts_with(kByteOrderMark) ||
                      reads_as_number(name);
  if (!quotes) return std::string(name);
  std::string result(1, '"');
  for (const char c : name) {
    if (c == '"') result += '"';
    result += c;
  }
  result += '"';
  return result;
}

}  // namespace anmf::io
