// SPDX-License-Identifier: MIT
// Matrices in HDF5 files: AnnData (.h5ad), 10x Genomics (.h5), and datasets of two dimensions in any other.
#pragma once

#include <string_view>

#include "anmf/io.h"
#include "io/location.h"

namespace anmf::io {

inline constexpr std::string_view kHdf5Magic = "\x89HDF\r\n\x1a\n";

template <class T>
[[nodiscard]] LoadedMatrix<T> load_hdf5(const Location& at);

}  // namespace anmf::io
