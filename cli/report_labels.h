// SPDX-License-Identifier: MIT
// What a user can tell the report about the rows and columns of M.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <optional>
#include <string>

#include "anmf/matrix.h"
#include "labels.h"

namespace anmf::cli {

using report::ImageShape;
using report::ReportLabels;
using report::Side;

/// As typed.
struct ReportArguments {
  std::optional<ImageShape> image_shape;
  std::optional<std::string> feature_names;
  bool no_report = false;
};

/// Adds --image-shape, --feature-names and --no-report. `arguments` must outlive the parsing.
void add_report_options(CLI::App& app, ReportArguments& arguments);

/// What was typed, checked against the size of the matrix; what was not typed is looked for beside the input,
/// in meta.json and vocab.txt, and used where it fits. Throws Failure.
[[nodiscard]] ReportLabels find_labels(const ReportArguments& arguments, const std::filesystem::path& input,
                                       Index rows, Index cols);

/// The same for M': what was known of its rows is known of its columns.
void transpose(ReportLabels& labels);

}  // namespace anmf::cli
