// SPDX-License-Identifier: MIT
// Where a format keeps names in files beside the matrix.
#pragma once

#include <filesystem>

namespace anmf::io {

/// docword.NAME.txt[.gz] -> vocab.NAME.txt beside it; any other name -> vocab.txt.
[[nodiscard]] std::filesystem::path vocabulary_beside(const std::filesystem::path& path);

/// file.mat[.gz] -> file.mat.rlabel and file.mat.clabel beside it.
[[nodiscard]] std::filesystem::path cluto_labels_beside(const std::filesystem::path& path, char side);

}  // namespace anmf::io
