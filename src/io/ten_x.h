// SPDX-License-Identifier: MIT
// Folders of 10x Genomics: matrix.mtx (features x barcodes), barcodes.tsv, and features.tsv or genes.tsv.
#pragma once

#include <filesystem>
#include <optional>

#include "anmf/io.h"

namespace anmf::io {

/// matrix.mtx or matrix.mtx.gz of the folder; nothing if it is no such folder.
[[nodiscard]] std::optional<std::filesystem::path> ten_x_matrix(const std::filesystem::path& folder);

/// The matrix with the names of the features, their second column where there is one, and the barcodes.
template <class T>
[[nodiscard]] LoadedMatrix<T> load_ten_x(const std::filesystem::path& folder, const Reading& reading);

/// What the matrix file of the folder says; nothing if the folder has none.
[[nodiscard]] std::optional<StoredSizes> ten_x_sizes(const std::filesystem::path& folder);

}  // namespace anmf::io
