// SPDX-License-Identifier: MIT
#include "factorization_report.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string_view>

#include "anmf/trace_columns.h"
#include "anmf/version.h"
#include "factor_pictures.h"
#include "tall_view.h"

namespace anmf::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr Index kTopFeatures = 12;
constexpr std::size_t kLongestName = 200;  // bytes; more cannot be read on a page
constexpr Index kMapRows = 400;
constexpr std::size_t kTracePoints = 4000;  // more than a chart is wide

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

std::string_view name_of(Axis axis) { return axis == Axis::rows ? "rows" : "columns"; }

/// Cut between characters: bytes 10xxxxxx continue one.
std::string shortened(const std::string& name) {
  if (name.size() <= kLongestName) return name;
  std::size_t end = kLongestName;
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0U) == 0x80U) --end;
  return name.substr(0, end) + "\u2026";
}

Json number(Index value) { return value; }

/// Every record, or of a long run those at even steps and the last: a list for each column.
Json describe_trace(const std::vector<IterationRecord>& trace) {
  Json json;
  const std::size_t step = 1 + trace.size() / kTracePoints;
  for (const TraceColumn& column : trace_columns()) {
    Json& list = json[std::string(column.name)] = Json::array();
    for (std::size_t k = 0; k < trace.size(); ++k) {
      if (k % step != 0 && k + 1 != trace.size()) continue;
      list.push_back(with_number(column, trace[k], [](auto value) { return number(value); }));
    }
  }
  return json;
}

template <class T>
struct TallFactors {
  TallView<T> W;
  TallView<T> Ht;

  [[nodiscard]] TallView<T> of(Axis axis) const { return axis == Axis::rows ? W : Ht; }
};

template <class T>
double column_norm(TallView<T> factor, Index p) {
  double squares = 0;
  for (Index i = 0; i < factor.rows; ++i) {
    const auto value = static_cast<double>(factor(i, p));
    squares += value * value;
  }
  return std::sqrt(squares);
}

template <class T>
Json top_features(TallView<T> factor, Index p, const std::vector<std::string>& names) {
  Json top = Json::array();
  if (names.empty()) return top;
  std::vector<Index> order(static_cast<std::size_t>(factor.rows));
  std::iota(order.begin(), order.end(), Index{0});
  const Index count = std::min(kTopFeatures, factor.rows);
  std::partial_sort(order.begin(), order.begin() + count, order.end(), [&](Index a, Index b) {
    return factor(a, p) > factor(b, p) || (factor(a, p) == factor(b, p) && a < b);
  });
  for (const Index i : std::span(order).first(static_cast<std::size_t>(count))) {
    if (!(factor(i, p) > 0)) break;
    top.push_back({{"name", shortened(names[static_cast<std::size_t>(i)])},
                   {"value", number(static_cast<double>(factor(i, p)))}});
  }
  return top;
}

template <class T>
Json describe_components(const TallFactors<T>& factors, const std::vector<double>& scale,
                         const ReportLabels& labels) {
  std::vector<double> weights;
  weights.reserve(scale.size());
  for (Index p = 0; p < factors.W.cols; ++p) {
    weights.push_back(scale[static_cast<std::size_t>(p)] * column_norm(factors.W, p) *
                      column_norm(factors.Ht, p));
  }
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  Json components = Json::array();
  for (Index p = 0; p < factors.W.cols; ++p) {
    const double weight = weights[static_cast<std::size_t>(p)];
    components.push_back({{"weight", number(sum > 0 ? weight / sum : 0)},
                          {"top", top_features(factors.of(labels.name_axis), p, labels.names)}});
  }
  return components;
}

template <class T>
Json describe_images(const TallFactors<T>& factors, const ReportLabels& labels) {
  if (!labels.image_shape) return nullptr;
  const Index shrink = shrink_to_fit(*labels.image_shape, factors.W.cols);
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

template <class T>
Json describe_map(TallView<T> factor) {
  const HeatMap map = heat_map(factor, kMapRows);
  return {{"rows", map.rows},           {"cols", factor.cols},
          {"max", number(map.max)},     {"bins", map.rows < factor.rows},
          {"source_rows", factor.rows}, {"pixels", base64(map.pixels)}};
}

}  // namespace

template <class T>
Json factorization_report(const std::string& title, const std::string& command, const Json& run,
                          const Result<T>& result, const ReportLabels& labels) {
  const TallFactors<T> factors = {tall(result.W), turned(result.H)};
  return {{"format", 1},
          {"kind", "factorization"},
          {"title", title},
          {"version", kVersion},
          {"command", command},
          {"run", run},
          {"trace", describe_trace(result.trace)},
          {"components", describe_components(factors, result.scale, labels)},
          {"top_side", name_of(labels.name_axis)},
          {"images", describe_images(factors, labels)},
          {"heatmaps", {{"W", describe_map(factors.W)}, {"H", describe_map(factors.Ht)}}}};
}

template Json factorization_report(const std::string&, const std::string&, const Json&, const Result<float>&,
                                   const ReportLabels&);
template Json factorization_report(const std::string&, const std::string&, const Json&, const Result<double>&,
                                   const ReportLabels&);

}  // namespace anmf::report
