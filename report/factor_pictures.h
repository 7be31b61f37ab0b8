// SPDX-License-Identifier: MIT
// Factors as bytes for the report page: one image per component, and both factors as maps.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "anmf/matrix.h"
#include "labels.h"
#include "tall_view.h"

namespace anmf::report {

/// Base64 of RFC 4648, with padding.
[[nodiscard]] std::string base64(std::span<const std::uint8_t> bytes);

/// All images of a report together have at most this many pixels, so that a browser opens the page at once.
inline constexpr Index kMaxImagePixels = 16'000'000;

/// Column p of `factor` as an image of 0 (zero) to 255 (its largest entry, or `white`). `shrink` x `shrink`
/// pixels become one, their mean; the last row and column may stand for fewer.
template <class T>
[[nodiscard]] std::vector<std::uint8_t> component_image(TallView<T> factor, Index p, ImageShape shape,
                                                        Index shrink, std::optional<double> white = {});

/// The shape of component_image().
[[nodiscard]] ImageShape shrunk(ImageShape shape, Index shrink);

/// The smallest shrink at which `count` images have no more pixels than that.
[[nodiscard]] Index shrink_to_fit(ImageShape shape, Index count, Index most_pixels = kMaxImagePixels);

struct HeatMap {
  Index rows = 0;
  double max = 0;                    ///< what 255 stands for
  std::vector<std::uint8_t> pixels;  ///< rows x columns of the factor
};

/// A tall factor; neighbouring rows share a row of the map, as their maximum, where there are more than
/// `max_rows`.
template <class T>
[[nodiscard]] HeatMap heat_map(TallView<T> factor, Index max_rows);

}  // namespace anmf::report
