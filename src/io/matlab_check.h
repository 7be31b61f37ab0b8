// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

namespace anmf::io {

/// Walks through the elements of a MATLAB file of version 5 and throws InvalidInput if one is cut off or
/// cannot be uncompressed. matio takes what is missing for zeros.
void check_matlab_elements(const std::filesystem::path& path);

}  // namespace anmf::io
