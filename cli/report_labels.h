// SPDX-License-Identifier: MIT
// What a user can tell the report about the rows and columns of M: that they are the pixels of images, or
// what they are called.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "anmf/matrix.h"

namespace anmf::cli {

struct ImageShape {
  Index height = 0;
  Index width = 0;
};

/// The rows of M go with the columns of W, the columns of M with the rows of H.
enum class Side { rows, columns };

/// As typed.
struct ReportArguments {
  std::optional<ImageShape> image_shape;
  std::optional<std::string> feature_names;
  bool no_report = false;
};

/// As it fits the matrix.
struct ReportLabels {
  std::optional<ImageShape> image_shape;
  Side image_side = Side::rows;
  std::vector<std::string> names;  ///< empty if nothing is known
  Side name_side = Side::columns;
};

/// Adds --image-shape, --feature-names and --no-report. `arguments` must outlive the parsing.
void add_report_options(CLI::App& app, ReportArguments& arguments);

/// What was typed, checked against the size of the matrix; what was not typed is looked for beside the input,
/// in meta.json and vocab.txt, and used where it fits. Throws Failure.
[[nodiscard]] ReportLabels find_labels(const ReportArguments& arguments, const std::filesystem::path& input,
                                       Index rows, Index cols);

}  // namespace anmf::cli
