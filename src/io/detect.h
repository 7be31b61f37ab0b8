// SPDX-License-Identifier: MIT
// Which format a file or folder has, by its content. The name decides only between formats that can look
// alike.
#pragma once

#include <filesystem>

namespace anmf::io {

enum class Format {
  kNpy,
  kNpz,
  kMatrixMarket,
  kTable,
  kSvmlight,
  kCluto,
  kBagOfWords,
  kTenX,
  kImages,
  kHdf5,
  kMatlab,
  kContainer
};

/// Throws InvalidInput that says how the file begins if it is none of them.
[[nodiscard]] Format detect(const std::filesystem::path& path);

}  // namespace anmf::io
