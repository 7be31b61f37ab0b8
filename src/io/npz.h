// SPDX-License-Identifier: MIT
// .npz archives: what is in them. A key is a member's name without .npy.
#pragma once

#include <filesystem>
#include <string>

#include "io/zip_archive.h"

namespace anmf::io {

/// True if the archive has the keys by which scipy.sparse.load_npz knows its own files.
[[nodiscard]] bool npz_is_sparse(const ZipArchive& archive);

/// The key, if there is one of that name; without a name that of the only matrix. Throws InvalidInput that
/// lists the keys.
[[nodiscard]] std::string choose_npz_key(const ZipArchive& archive, const std::filesystem::path& path,
                                         const std::string& wanted);

/// How messages name an array: "file.npz::key".
[[nodiscard]] std::filesystem::path npz_array_name(const std::filesystem::path& path, const std::string& key);

}  // namespace anmf::io
