// SPDX-License-Identifier: MIT
// TIFF files: one grey image, or a stack of them, all of one size and type. Each page is a column of M, pixel
// (i, j) in row i * width + j.
#pragma once

#include <filesystem>
#include <string_view>

#include "anmf/io.h"
#include "io/image_decoder.h"

namespace anmf::io {

/// True for either byte order, and for BigTIFF.
[[nodiscard]] bool starts_as_tiff(std::string_view start);

/// Pages of 8, 16 or 32 bits without a sign, or of floats. Throws InvalidInput for any other.
template <class T>
[[nodiscard]] LoadedMatrix<T> load_tiff(const std::filesystem::path& path, const Reading& reading);

template <class T>
[[nodiscard]] StoredSizes tiff_sizes(const std::filesystem::path& path);

/// A file of one page, of 8 or 16 bits, as one image of a folder.
[[nodiscard]] Image read_tiff_image(const std::filesystem::path& path);

}  // namespace anmf::io
