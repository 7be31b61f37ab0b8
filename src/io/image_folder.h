// SPDX-License-Identifier: MIT
// A folder of images of one size: each is a column of M, pixel (i, j) in row i * width + j.
#pragma once

#include <filesystem>
#include <vector>

#include "anmf/io.h"

namespace anmf::io {

/// The files that end in .png, .jpg, .jpeg, .tif, .tiff or .pgm, in the order of their names.
[[nodiscard]] std::vector<std::filesystem::path> images_in(const std::filesystem::path& folder);

/// Grey values in 8 bits, or in 16 if one of the images has more than 8. The names of the columns are those
/// of the files. Throws InvalidInput for an image that cannot be decoded or has another size than the first.
template <class T>
[[nodiscard]] LoadedMatrix<T> load_images(const std::filesystem::path& folder);

}  // namespace anmf::io
