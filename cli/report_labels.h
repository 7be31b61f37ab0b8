// SPDX-License-Identifier: MIT
// What is known about the rows and columns of M: from its file, from files beside it, and from the user.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "anmf/io.h"
#include "feature_axis.h"
#include "labels.h"

namespace CLI {
class App;
}

namespace anmf::cli {

using report::Axis;
using report::ImageShape;
using report::ReportLabels;

/// As typed.
struct ReportArguments {
  std::optional<ImageShape> image_shape;
  std::optional<std::string> feature_names;
  std::optional<FeatureAxis> feature_axis;
  Index top = 20;  ///< how many features of every component top.tsv lists
  bool no_bound = false;
  bool no_report = false;
};

/// The names in the lines of a file, up to the first tab of each. Nothing if the file cannot be read.
[[nodiscard]] std::optional<std::vector<std::string>> read_names(const std::filesystem::path& path);

/// Adds --image-shape, --feature-names, --feature-axis, --top, --no-bound and --no-report. `arguments` must
/// outlive the parsing.
void add_report_options(CLI::App& app, ReportArguments& arguments);

struct MatrixLabels {
  std::optional<ImageShape> image_shape;
  Axis image_axis = Axis::rows;
  io::Names names;                    ///< of M; either list may be empty
  Axis feature_axis = Axis::columns;  ///< whose names tell what a component is
  bool features_given = false;        ///< that side was found by a list of names for it
  std::optional<report::OrderedFeatures> ordered;
  struct Groupings {
    std::vector<report::Grouping> rows;
    std::vector<report::Grouping> cols;
  } groupings;
  [[nodiscard]] const std::vector<std::string>& features() const {
    return feature_axis == Axis::columns ? names.cols : names.rows;
  }
};

/// As many columns of obs are looked at.
inline constexpr Index kMostGroupings = 24;

/// What was typed, checked against the size of the matrix; what was not typed is taken from the file of the
/// matrix, of which `known` has been read, or looked for beside it, in meta.json, vocab.txt and labels.txt,
/// and used where it fits. Throws Failure.
[[nodiscard]] MatrixLabels find_labels(const ReportArguments& arguments, const io::MatrixFile& input,
                                       io::Annotations known, Index rows, Index cols);

/// The same for M': what was known of its rows is known of its columns.
void transpose(MatrixLabels& labels);

/// Only these rows and columns of M, by their numbers; nothing stands for all.
void select(MatrixLabels& labels, const std::optional<std::vector<Index>>& rows,
            const std::optional<std::vector<Index>>& cols);

/// The report shows features of one side, and samples of the other.
[[nodiscard]] ReportLabels for_report(const MatrixLabels& labels);

}  // namespace anmf::cli
