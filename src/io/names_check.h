// SPDX-License-Identifier: MIT
// Names must fit their matrix before they are written.
#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "anmf/error.h"
#include "anmf/matrix.h"
#include "io/input_file.h"
#include "io/text_fields.h"

namespace anmf::io {

/// Throws InvalidInput unless there are none, or `count` in UTF-8. `side` is "row" or "column".
inline void check_names(const std::filesystem::path& path, const std::vector<std::string>& names, Index count,
                        std::string_view side) {
  if (!names.empty() && static_cast<Index>(names.size()) != count) {
    throw InvalidInput(fmt::format("{}: there are {} names for {} {}s; expected one for each, or none.",
                                   path.string(), names.size(), count, side));
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (is_utf8(names[i])) continue;
    throw InvalidInput(fmt::format("{}: the name of {} {}, counted from 0, is {}, which is not UTF-8.",
                                   path.string(), side, i, in_quotes(names[i])));
  }
}

}  // namespace anmf::io
