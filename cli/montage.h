// SPDX-License-Identifier: MIT
// Columns of a matrix as a sheet of little pictures.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "anmf/matrix.h"

namespace anmf::cli {

/// 8-bit grey, 0 is black, row by row.
struct Image {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> pixels;
};

struct MontageLayout {
  int columns = 8;    ///< tiles in a row
  int zoom = 4;       ///< every entry becomes a square of this many pixels
  int separator = 2;  ///< pixels between tiles and around them
};

/// Draws every tile as dark ink on white, scaled to its own largest entry. All tiles have the size of the
/// first; cells without a tile stay blank.
[[nodiscard]] Image montage(const std::vector<Matrix<double>>& tiles, const MontageLayout& layout);

/// Column j of a matrix whose rows are the pixels of height x width images, row by row.
[[nodiscard]] Matrix<double> column_as_image(const Matrix<double>& matrix, Index column, Index height,
                                             Index width);

/// The bytes of a PNG file.
[[nodiscard]] std::string encode_png(const Image& image);

}  // namespace anmf::cli
