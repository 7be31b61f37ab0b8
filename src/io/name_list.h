// SPDX-License-Identifier: MIT
// Names of rows or columns that stand in a file of their own, one in every line.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "anmf/matrix.h"

namespace anmf::io {

/// The names in a file, plain or gzip: of every line the given field (from 0, separated by tabs), or the
/// first if there are fewer. Throws InvalidInput unless there are `expected` lines; blank ones at the end do
/// not count.
[[nodiscard]] std::vector<std::string> read_names(const std::filesystem::path& path, Index expected,
                                                  int field = 0);

/// The same if there is such a file, or the same with .gz appended; nothing if there is none.
[[nodiscard]] std::vector<std::string> read_names_if_there(const std::filesystem::path& path, Index expected,
                                                           int field = 0);

}  // namespace anmf::io
