// SPDX-License-Identifier: MIT
// Broken inputs that are no text: each is made by a function at the path that it is given. What must be said
// of them stands with the others in tests/data/invalid/expected.tsv.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "support/files_and_messages.h"

namespace anmf::io_test {

using BrokenFiles = std::map<std::string, std::function<void(const std::filesystem::path&)>>;

/// Writes these bytes.
inline auto file(std::string bytes) {
  return [bytes = std::move(bytes)](const std::filesystem::path& path) { write_to(path, bytes); };
}

[[nodiscard]] BrokenFiles broken_numpy_files();
[[nodiscard]] BrokenFiles broken_hdf5_files();
[[nodiscard]] BrokenFiles broken_matlab_files();
[[nodiscard]] BrokenFiles broken_tiff_files();
[[nodiscard]] BrokenFiles broken_containers();
[[nodiscard]] BrokenFiles broken_folders_and_others();

}  // namespace anmf::io_test
