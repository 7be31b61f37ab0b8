// SPDX-License-Identifier: MIT
#include "montage.h"

#include <stb_image_write.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace anmf::cli {
namespace {

constexpr std::uint8_t kPaper = 255;
constexpr std::uint8_t kInk = 24;  // softer than black
constexpr std::uint8_t kSeparator = 214;

std::uint8_t shade(double share) {
  const double clamped = std::clamp(share, 0.0, 1.0);
  return static_cast<std::uint8_t>(std::lround(kPaper + clamped * (kInk - kPaper)));
}

struct Corner {
  int x;
  int y;
};

/// Fills zoom x zoom squares; a null tile leaves the cell blank.
void draw_tile(Image& image, Corner corner, const Matrix<double>* tile, int height, int width, int zoom) {
  double largest = 0;
  if (tile != nullptr) {
    for (const double value : tile->values()) largest = std::max(largest, value);
  }
  for (int y = 0; y < height * zoom; ++y) {
    for (int x = 0; x < width * zoom; ++x) {
      const double share = largest > 0 ? (*tile)(y / zoom, x / zoom) / largest : 0;
      const int pixel = (corner.y + y) * image.width + corner.x + x;
      image.pixels[static_cast<std::size_t>(pixel)] = shade(share);
    }
  }
}

}  // namespace

Image montage(const std::vector<Matrix<double>>& tiles, const MontageLayout& layout) {
  if (tiles.empty()) return {};
  const int height = static_cast<int>(tiles.front().rows());
  const int width = static_cast<int>(tiles.front().cols());
  const int count = static_cast<int>(tiles.size());
  const int columns = std::min(layout.columns, count);
  const int rows = (count + columns - 1) / columns;
  const int cell_width = width * layout.zoom + layout.separator;
  const int cell_height = height * layout.zoom + layout.separator;

  Image image;
  image.width = columns * cell_width + layout.separator;
  image.height = rows * cell_height + layout.separator;
  image.pixels.assign(static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height),
                      kSeparator);
  for (int cell = 0; cell < rows * columns; ++cell) {
    const Corner corner = {layout.separator + cell % columns * cell_width,
                           layout.separator + cell / columns * cell_height};
    const Matrix<double>* const tile = cell < count ? &tiles[static_cast<std::size_t>(cell)] : nullptr;
    draw_tile(image, corner, tile, height, width, layout.zoom);
  }
  return image;
}

Matrix<double> column_as_image(const Matrix<double>& matrix, Index column, Index height, Index width) {
  Matrix<double> image(height, width);
  for (Index y = 0; y < height; ++y) {
    for (Index x = 0; x < width; ++x) image(y, x) = matrix(y * width + x, column);
  }
  return image;
}

std::string encode_png(const Image& image) {
  std::string bytes;
  const auto append = [](void* context, void* data, int size) {
    static_cast<std::string*>(context)->append(static_cast<const char*>(data),
                                               static_cast<std::size_t>(size));
  };
  if (stbi_write_png_to_func(append, &bytes, image.width, image.height, 1, image.pixels.data(),
                             image.width) == 0) {
    throw std::runtime_error("the PNG encoder failed");
  }
  return bytes;
}

}  // namespace anmf::cli
