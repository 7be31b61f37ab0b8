// SPDX-License-Identifier: MIT
#include "factor_pictures.h"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace anmf::report {
namespace {

Index ceil_div(Index a, Index b) { return (a + b - 1) / b; }

/// Shares of the largest value in 255 steps.
std::vector<std::uint8_t> quantized(const std::vector<double>& values, double largest) {
  std::vector<std::uint8_t> bytes(values.size(), 0);
  if (largest > 0) {
    std::transform(values.begin(), values.end(), bytes.begin(), [largest](double value) {
      return static_cast<std::uint8_t>(std::lround(255 * std::clamp(value / largest, 0.0, 1.0)));
    });
  }
  return bytes;
}

double largest_of(const std::vector<double>& values) {
  return values.empty() ? 0 : *std::max_element(values.begin(), values.end());
}

}  // namespace

std::string base64(std::span<const std::uint8_t> bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - at);
    std::uint32_t word = 0;
    for (std::size_t k = 0; k < 3; ++k) word = word << 8 | (k < count ? bytes[at + k] : 0U);
    for (std::size_t k = 0; k < 4; ++k) text += k <= count ? kDigits[word >> (18 - 6 * k) & 63U] : '=';
  }
  return text;
}

ImageShape shrunk(ImageShape shape, Index shrink) {
  return {ceil_div(shape.height, shrink), ceil_div(shape.width, shrink)};
}

Index shrink_to_fit(ImageShape shape, Index count, Index most_pixels) {
  for (Index shrink = 1;; ++shrink) {
    const ImageShape small = shrunk(shape, shrink);
    if (small.height * small.width <= std::max<Index>(1, most_pixels / count)) return shrink;
  }
}

template <class T>
std::vector<std::uint8_t> component_image(TallView<T> factor, Index p, ImageShape shape, Index shrink,
                                          std::optional<double> white) {
  const ImageShape small = shrunk(shape, shrink);
  std::vector<double> sums(static_cast<std::size_t>(small.height * small.width), 0);
  std::vector<double> counts(sums.size(), 0);
  for (Index y = 0; y < shape.height; ++y) {
    for (Index x = 0; x < shape.width; ++x) {
      const auto pixel = static_cast<std::size_t>(y / shrink * small.width + x / shrink);
      sums[pixel] += static_cast<double>(factor(y * shape.width + x, p));
      counts[pixel] += 1;
    }
  }
  std::transform(sums.begin(), sums.end(), counts.begin(), sums.begin(), std::divides<>());
  return quantized(sums, white.value_or(largest_of(sums)));
}

template <class T>
HeatMap heat_map(TallView<T> factor, Index max_rows) {
  HeatMap map;
  map.rows = std::min(factor.rows, max_rows);
  std::vector<double> values(static_cast<std::size_t>(map.rows * factor.cols), 0);
  for (Index i = 0; i < factor.rows; ++i) {
    const Index row = map.rows < factor.rows ? i * map.rows / factor.rows : i;
    for (Index p = 0; p < factor.cols; ++p) {
      double& value = values[static_cast<std::size_t>(row * factor.cols + p)];
      value = std::max(value, static_cast<double>(factor(i, p)));
    }
  }
  map.max = largest_of(values);
  map.pixels = quantized(values, map.max);
  return map;
}

template std::vector<std::uint8_t> component_image(TallView<float>, Index, ImageShape, Index,
                                                   std::optional<double>);
template std::vector<std::uint8_t> component_image(TallView<double>, Index, ImageShape, Index,
                                                   std::optional<double>);
template HeatMap heat_map(TallView<float>, Index);
template HeatMap heat_map(TallView<double>, Index);

}  // namespace anmf::report
