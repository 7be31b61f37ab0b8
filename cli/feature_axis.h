// SPDX-License-Identifier: MIT
// Features with an order: wavelengths, frequencies, hours. Where they lie is said by --feature-axis, or by
// names that are numbers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "labels.h"

namespace anmf::cli {

/// The places that --feature-axis gives: [NAME=]FIRST:STEP, or [NAME=]FILE with a number on each line.
struct FeatureAxis {
  std::string name;
  double first = 0;
  double step = 0;  ///< 0: the places are in a file
  std::string file;
};

/// Throws CLI::ValidationError if FIRST:STEP is none.
[[nodiscard]] FeatureAxis parse_feature_axis(const std::string& text);

/// For a matrix of this size; `preferred` is whose places they are if both sides would do. Throws
/// Failure if the file cannot be read, does not fit, or its numbers neither ascend nor descend.
[[nodiscard]] report::OrderedFeatures ordered_features(const FeatureAxis& axis, Index rows, Index cols,
                                                       report::Axis preferred);

/// The numbers that names are, if they are numbers that ascend or descend, three at least.
[[nodiscard]] std::optional<std::vector<double>> numbers_in_order(const std::vector<std::string>& names);

}  // namespace anmf::cli
