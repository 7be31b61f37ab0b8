// SPDX-License-Identifier: MIT
#include <string>
#include <string_view>

#include "anmf/files.h"
#include "io/text_number.h"

namespace anmf::io {

std::string as_field(std::string_view name, bool alone) {
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
