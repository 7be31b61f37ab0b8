// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

namespace anmf::io {

/// Adds the columns of obs and var of one AnnData file to another one, which write_h5ad() has made: texts,
/// numbers, truth values, categories, and numbers of which some are missing; other kinds are left out. A
/// frame whose names are not the same in both files, in the same order, stays without. Throws InvalidInput if
/// `from` is damaged, and IoError if `to` cannot be written; then it is no longer of use.
void copy_anndata_columns(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace anmf::io
