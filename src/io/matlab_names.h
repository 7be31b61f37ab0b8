// SPDX-License-Identifier: MIT
// The variables of a MATLAB file, whatever its version.
#pragma once

#include <string>
#include <vector>

#include "io/location.h"

namespace anmf::io {

/// How messages name a variable: "file::name".
[[nodiscard]] std::string matlab_where(const std::filesystem::path& file, const std::string& name);

/// The name of the only real matrix among those of the file. Throws InvalidInput if there is none, or
/// several.
[[nodiscard]] std::string only_matlab_matrix(const std::filesystem::path& file,
                                             std::vector<std::string> matrices);

[[noreturn]] void fail_no_variable(const std::string& where);
[[noreturn]] void fail_no_matrix(const std::string& where);

}  // namespace anmf::io
