// SPDX-License-Identifier: MIT
// The formats that can be written, by the ending of the name.
#pragma once

#include <filesystem>

namespace anmf::io {

enum class Target { kNpy, kNpz, kMatrixMarket, kTable, kH5ad, kContainer };

/// Throws InvalidInput, which lists the endings, if it is none of them.
[[nodiscard]] Target target_of(const std::filesystem::path& path);

/// False if the format holds dense matrices only.
[[nodiscard]] constexpr bool holds_sparse(Target target) {
  return target != Target::kNpy && target != Target::kTable;
}

/// False if the format holds sparse matrices only.
[[nodiscard]] constexpr bool holds_dense(Target target) { return target != Target::kContainer; }

/// True if the format has a place for the names of rows and columns.
[[nodiscard]] constexpr bool holds_names(Target target) {
  return target == Target::kTable || target == Target::kH5ad || target == Target::kContainer;
}

}  // namespace anmf::io
