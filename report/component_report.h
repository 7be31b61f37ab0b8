// SPDX-License-Identifier: MIT
// What the components are, for the report page: weights, features, images, curves and typical samples.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "factor_pictures.h"
#include "labels.h"
#include "tall_view.h"

namespace anmf::report {

template <class T>
struct TallFactors {
  TallView<T> W;
  TallView<T> Ht;

  [[nodiscard]] TallView<T> of(Axis axis) const { return axis == Axis::rows ? W : Ht; }
};

/// A list with an object for each component.
template <class T>
[[nodiscard]] nlohmann::ordered_json describe_components(const TallFactors<T>& factors,
                                                         const std::vector<double>& scale,
                                                         const ReportLabels& labels);

/// Null where there are no images. All of them together have at most `most_pixels`.
template <class T>
[[nodiscard]] nlohmann::ordered_json describe_images(const TallFactors<T>& factors,
                                                     const ReportLabels& labels,
                                                     Index most_pixels = kMaxImagePixels);

inline constexpr std::size_t kCurvePoints = 2000;  // more than a chart is wide

/// Null where the features have no order.
template <class T>
[[nodiscard]] nlohmann::ordered_json describe_curves(const TallFactors<T>& factors,
                                                     const ReportLabels& labels,
                                                     std::size_t most_points = kCurvePoints);

/// Numbers of ordered features, or means of neighbours where there are more than `most_points`.
[[nodiscard]] nlohmann::ordered_json curve_values(const std::vector<double>& values,
                                                  std::size_t most_points = kCurvePoints);

}  // namespace anmf::report
