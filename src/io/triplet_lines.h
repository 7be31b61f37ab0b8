// SPDX-License-Identifier: MIT
// The fields of a line "ROW COLUMN VALUE [TIME]".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/text_fields.h"

namespace anmf::io {

inline constexpr std::string_view kDoubleColon = "::";  // as MovieLens writes

[[nodiscard]] inline std::string find_triplet_separator(std::string_view line) {
  std::string separator(kDoubleColon);
  if (line.find(kDoubleColon) == std::string_view::npos) separator = find_separator(line);
  return separator;
}

inline void split_triplet(std::string_view line, const std::string& separator,
                          std::vector<std::string>& fields) {
  fields.clear();
  if (separator.size() == 1) {
    Fields parts(line, separator[0]);
    while (parts.next()) fields.emplace_back(parts.field());
    return;
  }
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find(separator, begin), line.size());
    fields.emplace_back(line.substr(begin, end - begin));
    begin = end + separator.size();
  }
}

}  // namespace anmf::io
