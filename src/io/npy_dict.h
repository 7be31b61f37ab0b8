// SPDX-License-Identifier: MIT
// The Python dict in the header of a .npy file.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "anmf/matrix.h"

namespace anmf::io {

struct NpyDict {
  std::string descr;
  bool fortran_order = false;
  std::vector<Index> shape;
};

/// Parses the dict with its keys in any order. Throws InvalidInput that shows the text where it departs
/// from {'descr': '...', 'fortran_order': True or False, 'shape': (...)}.
[[nodiscard]] NpyDict parse_npy_dict(std::string_view text, const std::filesystem::path& path);

}  // namespace anmf::io
