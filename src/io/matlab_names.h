// SPDX-License-Identifier: MIT
// The variables of a MATLAB file, whatever its version.
#pragma once

#include <string>
#include <vector>

#include "io/location.h"

namespace anmf::io {

/// How messages name a variable: "file::name".
[[nodiscard]] std::string matlab_where(const std::filesystem::path& file, const std::string& name);

struct MatlabMatrix {
  std::string name;
  bool single = false;  ///< 1 x 1
};

/// The name of the only real matrix among those of the file that is more than one number, or of the only
/// number. Throws InvalidInput if there is none, or several.
[[nodiscard]] std::string only_matlab_matrix(const std::filesystem::path& file,
                                             std::vector<MatlabMatrix> found);

[[noreturn]] void fail_no_variable(const std::string& where);
[[noreturn]] void fail_no_matrix(const std::string& where);

}  // namespace anmf::io
