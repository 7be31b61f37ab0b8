// SPDX-License-Identifier: MIT
// Files that hold several matrices: "file::inside" names one of them.
#pragma once

#include <filesystem>

#include "anmf/matrix_file.h"

namespace anmf::io {

/// Splits "file::inside" at the last "::", unless a file of the whole name exists.
[[nodiscard]] Location split_location(const std::filesystem::path& path);

}  // namespace anmf::io
