// SPDX-License-Identifier: MIT
#include "component_report.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "json_values.h"
#include "label_summary.h"
#include "strongest.h"

namespace anmf::report {
namespace {

constexpr Index kTopFeatures = 12;
constexpr Index kTypicalSamples = 5;

template <class T>
double column_norm(TallView<T> factor, Index p) {
  double squares = 0;
  for (Index i = 0; i < factor.rows; ++i) {
    const auto value = static_cast<double>(factor(i, p));
    squares += value * value;
  }
  return std::sqrt(squares);
}

/// ||w|| ||h|| of every component as a share of their sum.
template <class T>
std::vector<double> weights_of(const TallFactors<T>& factors, const std::vector<double>& scale) {
  std::vector<double> weights;
  weights.reserve(static_cast<std::size_t>(factors.W.cols));
  for (Index p = 0; p < factors.W.cols; ++p) {
    weights.push_back(scale[static_cast<std::size_t>(p)] * column_norm(factors.W, p) *
                      column_norm(factors.Ht, p));
  }
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (double& weight : weights) weight = sum > 0 ? weight / sum : 0;
  return weights;
}

template <class Value>
Json feature_list(const std::vector<std::string>& names, const Value& value) {
  Json list = Json::array();
  for (const Index i : strongest(static_cast<Index>(names.size()), kTopFeatures, value)) {
    list.push_back({{"name", shortened(names[static_cast<std::size_t>(i)])}, {"value", number(value(i))}});
  }
  return list;
}

/// The rows (or columns) of M in which a component is largest. Single pixels are seen better in an image.
template <class T>
Json typical_samples(const TallFactors<T>& factors, Index p, const ReportLabels& labels,
                     const std::vector<LabelSummary>& summaries) {
  Json list = Json::array();
  const Axis axis = labels.sample_axis();
  if (labels.image_shape && labels.image_axis == axis) return list;
  const TallView<T> factor = factors.of(axis);
  const auto value = [&](Index i) { return static_cast<double>(factor(i, p)); };
  for (const Index i : strongest(factor.rows, kTypicalSamples, value)) {
    Json sample = {{"name", line_name(labels.sample_names, axis, i)}, {"value", number(value(i))}};
    if (!summaries.empty()) sample["group"] = summaries.front().word_of(i);
    list.push_back(std::move(sample));
  }
  return list;
}

}  // namespace

template <class T>
Json describe_components(const TallFactors<T>& factors, const std::vector<double>& scale,
                         const ReportLabels& labels) {
  const std::vector<double> weights = weights_of(factors, scale);
  const TallView<T> features = factors.of(labels.name_axis);
  const Particularity<T> particularity(features);
  const auto summaries = summarise(factors.of(labels.sample_axis()), weights, labels.groupings);
  Json components = Json::array();
  for (Index p = 0; p < factors.W.cols; ++p) {
    Json groups = Json::array();
    for (const LabelSummary& summary : summaries) groups.push_back(summary.of_component(p));
    components.push_back(
        {{"weight", number(weights[static_cast<std::size_t>(p)])},
         {"top", feature_list(labels.names, [&](Index i) { return static_cast<double>(features(i, p)); })},
         {"particular", feature_list(labels.names, [&](Index i) { return particularity(i, p); })},
         {"typical", typical_samples(factors, p, labels, summaries)},
         {"groups", std::move(groups)}});
  }
  return components;
}

template <class T>
Json describe_images(const TallFactors<T>& factors, const ReportLabels& labels, Index most_pixels) {
  if (!labels.image_shape) return nullptr;
  const Index shrink = shrink_to_fit(*labels.image_shape, factors.W.cols, most_pixels);
  const ImageShape shape = shrunk(*labels.image_shape, shrink);
  Json pixels = Json::array();
  for (Index p = 0; p < factors.W.cols; ++p) {
    pixels.push_back(base64(component_image(factors.of(labels.image_axis), p, *labels.image_shape, shrink)));
  }
  return {{"height", shape.height},
          {"width", shape.width},
          {"side", name_of(labels.image_axis)},
          {"pixels", std::move(pixels)}};
}

Json curve_values(const std::vector<double>& values, std::size_t most_points) {
  const std::size_t step = 1 + (values.size() - 1) / most_points;
  Json list = Json::array();
  for (std::size_t begin = 0; begin < values.size(); begin += step) {
    const std::size_t end = std::min(begin + step, values.size());
    double sum = 0;
    for (std::size_t k = begin; k < end; ++k) sum += values[k];
    const double mean = sum / static_cast<double>(end - begin);
    list.push_back(std::isfinite(mean) ? Json(static_cast<double>(static_cast<float>(mean))) : Json(nullptr));
  }
  return list;
}

template <class T>
Json describe_curves(const TallFactors<T>& factors, const ReportLabels& labels, std::size_t most_points) {
  if (!labels.ordered) return nullptr;
  const TallView<T> factor = factors.of(labels.ordered->axis);
  Json curves = Json::array();
  for (Index p = 0; p < factor.cols; ++p) {
    std::vector<double> values;
    values.reserve(static_cast<std::size_t>(factor.rows));
    for (Index i = 0; i < factor.rows; ++i) values.push_back(static_cast<double>(factor(i, p)));
    curves.push_back(curve_values(values, most_points));
  }
  return {{"name", shortened(labels.ordered->name)},
          {"side", name_of(labels.ordered->axis)},
          {"places", curve_values(labels.ordered->places, most_points)},
          {"values", std::move(curves)}};
}

#define ANMF_INSTANTIATE(T)                                                                                  \
  template Json describe_components(const TallFactors<T>&, const std::vector<double>&, const ReportLabels&); \
  template Json describe_images(const TallFactors<T>&, const ReportLabels&, Index);                          \
  template Json describe_curves(const TallFactors<T>&, const ReportLabels&, std::size_t);
ANMF_INSTANTIATE(float)
ANMF_INSTANTIATE(double)
#undef ANMF_INSTANTIATE

}  // namespace anmf::report
