// SPDX-License-Identifier: MIT
// .npz archives: what is in them. A key is a member's name without .npy.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "anmf/io.h"
#include "io/zip_archive.h"

namespace anmf::io {

/// True if the archive has the keys by which scipy.sparse.load_npz knows its own files.
[[nodiscard]] bool npz_is_sparse(const ZipArchive& archive);

/// The key, if there is one of that name; without a name that of the only matrix. Throws InvalidInput that
/// lists the keys.
[[nodiscard]] std::string choose_npz_key(const ZipArchive& archive, const std::filesystem::path& path,
                                         const std::string& wanted);

/// True if a file begins as every zip archive does, an empty one included.
[[nodiscard]] bool starts_as_zip(std::string_view start);

/// True if a location is that of a matrix that scipy.sparse.save_npz wrote.
[[nodiscard]] bool holds_sparse_npz(const Location& at);

template <class T>
[[nodiscard]] LoadedMatrix<T> load_npz(const Location& at, const Reading& reading);

/// The size of a matrix, dense or sparse.
template <class T>
[[nodiscard]] StoredSizes npz_sizes(const Location& at);
/// The size of a matrix that scipy wrote.
[[nodiscard]] StoredSizes npz_sparse_sizes(const ZipArchive& archive, const std::filesystem::path& path);

/// How messages name an array: "file.npz::key".
[[nodiscard]] std::filesystem::path npz_array_name(const std::filesystem::path& path, const std::string& key);

}  // namespace anmf::io
