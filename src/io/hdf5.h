// SPDX-License-Identifier: MIT
// Matrices in HDF5 files: AnnData (.h5ad), 10x Genomics (.h5), and datasets of two or three dimensions in any
// other.
#pragma once

#include <optional>
#include <string_view>

#include "anmf/io.h"
#include "io/dense_stream.h"
#include "io/location.h"

namespace anmf::io {

inline constexpr std::string_view kHdf5Magic = "\x89HDF\r\n\x1a\n";

template <class T>
[[nodiscard]] LoadedMatrix<T> load_hdf5(const Location& at, const Reading& reading);

/// Names, and whether the file is one of AnnData.
[[nodiscard]] Annotations hdf5_annotations(const Location& at);

/// The lines of a dataset; nothing if the matrix is a sparse one.
[[nodiscard]] std::optional<DenseStream> stream_hdf5(const Location& at);

}  // namespace anmf::io
