// SPDX-License-Identifier: MIT
#include "io/location.h"

#include <string_view>
#include <system_error>

namespace anmf::io {

Location split_location(const std::filesystem::path& path) {
  constexpr std::string_view kMark = "::";
  const std::string text = path.string();
  const std::size_t mark = text.rfind(kMark);
  std::error_code ignored;
  if (mark == std::string::npos || std::filesystem::exists(path, ignored))
    return {.file = path, .inside = {}};
  return {.file = text.substr(0, mark), .inside = text.substr(mark + kMark.size())};
}

}  // namespace anmf::io
