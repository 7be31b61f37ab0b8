// SPDX-License-Identifier: MIT
#include "feature_axis.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <functional>
#include <string_view>
#include <utility>

#include "failure.h"
#include "report_labels.h"

namespace anmf::cli {
namespace {

std::optional<double> to_number(std::string_view text) {
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || stop != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

/// The first place that is not beyond the one before, in the direction of the first two; the size if none is.
std::size_t first_out_of_order(const std::vector<double>& places) {
  for (std::size_t k = 1; k < places.size(); ++k) {
    const double step = places[k] - places[k - 1];
    if (step == 0 || (step > 0) != (places[1] > places[0])) return k;
  }
  return places.size();
}

std::vector<double> read_places(const std::string& file) {
  const auto lines = read_names(file);
  if (!lines)
    throw Failure(ExitCode::input, fmt::format("cannot read '{}', the file of --feature-axis.", file));
  std::vector<double> places;
  for (std::size_t k = 0; k < lines->size(); ++k) {
    const auto place = to_number((*lines)[k]);
    if (!place) {
      throw Failure(ExitCode::input, fmt::format("'{}', line {}: '{}' is no number; --feature-axis needs one "
                                                 "on each line.",
                                                 file, k + 1, (*lines)[k]));
    }
    places.push_back(*place);
  }
  if (const std::size_t k = first_out_of_order(places); k < places.size()) {
    throw Failure(ExitCode::input,
                  fmt::format("'{}', line {}: {} follows {}, but the numbers of --feature-axis "
                              "must ascend or descend throughout.",
                              file, k + 1, places[k], places[k - 1]));
  }
  return places;
}

}  // namespace

FeatureAxis parse_feature_axis(const std::string& text) {
  FeatureAxis axis;
  std::string_view rest = text;
  std::error_code error;
  const std::size_t equals = rest.find('=');
  if (equals != std::string_view::npos && !std::filesystem::exists(text, error)) {
    axis.name = rest.substr(0, equals);
    rest.remove_prefix(equals + 1);
  }
  const std::size_t colon = rest.find(':');
  const auto first = to_number(rest.substr(0, colon));
  if (colon == std::string_view::npos || !first) {
    axis.file = rest;
    return axis;
  }
  const auto step = to_number(rest.substr(colon + 1));
  if (!step || *step == 0) {
    throw CLI::ValidationError(fmt::format(
        "--feature-axis must be FIRST:STEP with a step that is not 0, like 400:2.5, or a file, not '{}'",
        text));
  }
  axis.first = *first;
  axis.step = *step;
  return axis;
}

report::OrderedFeatures ordered_features(const FeatureAxis& axis, Index rows, Index cols, Axis preferred) {
  report::OrderedFeatures ordered{.places = {}, .name = axis.name, .axis = preferred};
  if (axis.step != 0) {
    const Index count = preferred == Axis::rows ? rows : cols;
    for (Index k = 0; k < count; ++k)
      ordered.places.push_back(axis.first + axis.step * static_cast<double>(k));
    return ordered;
  }
  ordered.places = read_places(axis.file);
  const auto count = static_cast<Index>(ordered.places.size());
  if (count != (preferred == Axis::rows ? rows : cols)) ordered.axis = report::other(preferred);
  if (count != (ordered.axis == Axis::rows ? rows : cols)) {
    throw Failure(
        ExitCode::input,
        fmt::format("'{}' has {} lines, but the matrix is {} x {}: --feature-axis needs one number for "
                    "each column, or one for each row.",
                    axis.file, count, rows, cols));
  }
  return ordered;
}

std::optional<std::vector<double>> numbers_in_order(const std::vector<std::string>& names) {
  constexpr std::size_t kFewest = 3;
  std::vector<double> places;
  for (const std::string& name : names) {
    const auto place = to_number(name);
    if (!place) return std::nullopt;
    places.push_back(*place);
  }
  if (places.size() < kFewest || first_out_of_order(places) < places.size()) return std::nullopt;
  return places;
}

}  // namespace anmf::cli
