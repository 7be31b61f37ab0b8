// SPDX-License-Identifier: MIT
#include "report_labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <utility>

#include "failure.h"
#include "option_helpers.h"

namespace anmf::cli {
namespace fs = std::filesystem;
namespace {

constexpr Index kLargestSide = 1'000'000;  // their product is far from overflow

ImageShape parse_shape(const std::string& text) {
  ImageShape shape;
  const char* const end = text.data() + text.size();
  const auto height = std::from_chars(text.data(), end, shape.height);
  const bool has_x = height.ec == std::errc{} && height.ptr != end && *height.ptr == 'x';
  const auto width = has_x ? std::from_chars(height.ptr + 1, end, shape.width) : height;
  const auto allowed = [](Index side) { return side >= 1 && side <= kLargestSide; };
  if (!has_x || width.ec != std::errc{} || width.ptr != end || !allowed(shape.height) ||
      !allowed(shape.width)) {
    throw CLI::ValidationError(
        fmt::format("--image-shape must be HEIGHTxWIDTH in pixels, each in [1, {}], like 112x92, not '{}'",
                    kLargestSide, text));
  }
  return shape;
}

using report::other;

std::optional<Axis> axis_of_length(Index length, Axis preferred, Index rows, Index cols) {
  const Index first = preferred == Axis::rows ? rows : cols;
  const Index second = preferred == Axis::rows ? cols : rows;
  if (length == first) return preferred;
  if (length == second) return other(preferred);
  return std::nullopt;
}

/// The shape that a data set's description gives, if it does. Nobody asked for that file, so it is no error
/// if it is something else.
std::optional<ImageShape> shape_in_description(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  const auto json = nlohmann::json::parse(in, nullptr, /*allow_exceptions=*/false);
  const auto side = [&](const char* key) -> Index {
    const auto found = json.is_object() ? json.find(key) : json.end();
    if (found == json.end() || !found->is_number_integer()) return 0;
    const auto value = found->get<Index>();
    return value >= 1 && value <= kLargestSide ? value : 0;
  };
  const ImageShape shape = {side("image_height"), side("image_width")};
  if (shape.height == 0 || shape.width == 0) return std::nullopt;
  return shape;
}

void find_shape(MatrixLabels& labels, const ReportArguments& arguments, const fs::path& folder, Index rows,
                Index cols) {
  const auto shape =
      arguments.image_shape ? arguments.image_shape : shape_in_description(folder / "meta.json");
  if (!shape) return;
  const Index pixels = shape->height * shape->width;
  const auto axis = axis_of_length(pixels, Axis::rows, rows, cols);
  if (axis) {
    labels.image_shape = shape;
    labels.image_axis = *axis;
  } else if (arguments.image_shape) {
    throw Failure(ExitCode::usage,
                  fmt::format("--image-shape {}x{} has {} pixels, but the matrix is {} x {}: its rows or its "
                              "columns must be the pixels.",
                              shape->height, shape->width, pixels, rows, cols));
  }
}

void set_features(MatrixLabels& labels, Axis axis, std::vector<std::string> names) {
  (axis == Axis::columns ? labels.names.cols : labels.names.rows) = std::move(names);
  labels.feature_axis = axis;
  labels.features_given = true;
}

/// Names in the file tell no more of one side than of the other; columns come first.
void choose_feature_axis(MatrixLabels& labels) {
  labels.feature_axis = labels.names.cols.empty() ? Axis::rows : Axis::columns;
}

/// The file of --feature-names, which must fit.
void take_given_names(MatrixLabels& labels, const std::string& path, Index rows, Index cols) {
  auto lines = read_names(path);
  if (!lines)
    throw Failure(ExitCode::input, fmt::format("cannot read '{}', the file of --feature-names.", path));
  const auto count = static_cast<Index>(lines->size());
  const auto axis = axis_of_length(count, Axis::columns, rows, cols);
  if (!axis) {
    throw Failure(ExitCode::input,
                  fmt::format("'{}' has {} lines, but the matrix is {} x {}: --feature-names needs one line "
                              "for each column, or one for each row.",
                              path, count, rows, cols));
  }
  set_features(labels, *axis, std::move(*lines));
}

void find_names(MatrixLabels& labels, const ReportArguments& arguments, const fs::path& folder, Index rows,
                Index cols) {
  if (arguments.feature_names) {
    take_given_names(labels, *arguments.feature_names, rows, cols);
    return;
  }
  if (!labels.names.cols.empty() || !labels.names.rows.empty()) {
    choose_feature_axis(labels);
    return;
  }
  // Nobody asked for this file, so it is no error if it is something else.
  auto lines = read_names(folder / "vocab.txt");
  if (!lines) return;
  const auto axis = axis_of_length(static_cast<Index>(lines->size()), Axis::columns, rows, cols);
  if (axis) set_features(labels, *axis, std::move(*lines));
}

/// What the user says, or what names that are numbers say. The places FIRST:STEP belong to the side that is
/// not known to be pixels.
void find_order(MatrixLabels& labels, const ReportArguments& arguments, Index rows, Index cols) {
  if (arguments.feature_axis) {
    const Axis beside_pixels = labels.image_shape ? other(labels.image_axis) : Axis::columns;
    const Axis preferred = labels.features_given ? labels.feature_axis : beside_pixels;
    labels.ordered = ordered_features(*arguments.feature_axis, rows, cols, preferred);
  } else if (auto places = numbers_in_order(labels.features())) {
    labels.ordered = {.places = std::move(*places), .name = "", .axis = labels.feature_axis};
  }
}

/// labels.txt beside the matrix. Nobody asked for this file, so it is no error if it is something else.
void find_classes(MatrixLabels& labels, const fs::path& folder, Index rows, Index cols) {
  auto words = read_names(folder / "labels.txt");
  if (!words) return;
  const auto axis = axis_of_length(static_cast<Index>(words->size()), Axis::rows, rows, cols);
  if (!axis) return;
  auto& groupings = *axis == Axis::rows ? labels.groupings.rows : labels.groupings.cols;
  if (auto classes = io::word_column("labels.txt", *words)) groupings.push_back(*std::move(classes));
}

void keep_only(std::vector<report::Grouping>& groupings, const std::optional<std::vector<Index>>& chosen) {
  if (!chosen) return;
  for (report::Grouping& grouping : groupings) {
    std::vector<std::uint8_t> kept;
    kept.reserve(chosen->size());
    for (const Index k : *chosen) kept.push_back(grouping.codes[static_cast<std::size_t>(k)]);
    grouping.codes = std::move(kept);
  }
  std::erase_if(groupings, [](const report::Grouping& grouping) {  // one word for all tells nothing
    return std::adjacent_find(grouping.codes.begin(), grouping.codes.end(), std::not_equal_to<>()) ==
           grouping.codes.end();
  });
}

}  // namespace

std::optional<std::vector<std::string>> read_names(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    line.resize(std::min(line.size(), line.find('\t')));
    lines.push_back(std::move(line));
  }
  if (in.bad() || !in.eof()) return std::nullopt;
  return lines;
}

void add_report_options(CLI::App& app, ReportArguments& arguments) {
  const std::string group = "Report";
  add_text(
      app, "--image-shape",
      [&arguments](const std::string& text) { arguments.image_shape = parse_shape(text); },
      wrapped("Rows (or columns) of the matrix are pixels, row by row: draw the components in report.html "
              "(default: what meta.json beside the input says)"),
      "HxW")
      ->group(group);
  app.add_option(
         "--feature-names", arguments.feature_names,
         wrapped("A name on each line, up to a tab, for the columns (or rows) of the matrix: top.tsv and "
                 "report.html list the strongest of each component (default: the names in the "
                 "input, or vocab.txt beside it)"))
      ->type_name("FILE")
      ->group(group);
  add_number(app, "--top", arguments.top, Range<Index>{.low = 1},
             "Features of each component in top.tsv, which is written when their names are known", "20")
      ->group(group);
  add_text(
      app, "--feature-axis",
      [&arguments](const std::string& text) { arguments.feature_axis = parse_feature_axis(text); },
      wrapped(
          "Features have an order, as wavelengths do: report.html draws components as curves over these "
          "places. FIRST:STEP, like 400:2.5, or a file with a number on each line, for the columns (or "
          "rows) of the matrix; NAME= before it names the axis (default: names that are numbers in order)"),
      "[NAME=]PLACES")
      ->group(group);
  app.add_flag(
         "--no-bound", arguments.no_bound,
         wrapped("Do not compute best_rank_error, the relative error that no factorization of this rank "
                 "can beat"))
      ->group(group);
  app.add_flag("--no-report", arguments.no_report, wrapped("Do not write report.html"))->group(group);
}

MatrixLabels find_labels(const ReportArguments& arguments, const io::MatrixFile& input, io::Annotations known,
                         Index rows, Index cols) {
  const fs::path folder = input.location().file.parent_path();
  MatrixLabels labels;
  labels.names = std::move(known.names);
  find_shape(labels, arguments, folder, rows, cols);
  find_names(labels, arguments, folder, rows, cols);
  if (known.anndata && !labels.names.cols.empty() && !labels.features_given) {
    labels.features_given = true;  // the format says which side they are
    labels.feature_axis = Axis::columns;
  }
  find_order(labels, arguments, rows, cols);
  if (arguments.no_report) return labels;
  find_classes(labels, folder, rows, cols);
  if (known.anndata) {
    for (report::Grouping& column : io::read_anndata_words(input.location().file, rows, kMostGroupings))
      labels.groupings.rows.push_back(std::move(column));
  }
  return labels;
}

void transpose(MatrixLabels& labels) {
  labels.image_axis = other(labels.image_axis);
  if (labels.ordered) labels.ordered->axis = other(labels.ordered->axis);
  std::swap(labels.names.rows, labels.names.cols);
  std::swap(labels.groupings.rows, labels.groupings.cols);
  if (labels.features_given) {
    labels.feature_axis = other(labels.feature_axis);
  } else {
    choose_feature_axis(labels);
  }
}

void select(MatrixLabels& labels, const std::optional<std::vector<Index>>& rows,
            const std::optional<std::vector<Index>>& cols) {
  const auto chosen = [&](Axis axis) -> const auto& { return axis == Axis::rows ? rows : cols; };
  if (chosen(labels.image_axis)) labels.image_shape.reset();
  keep_only(labels.groupings.rows, rows);
  keep_only(labels.groupings.cols, cols);
  // Columns may be asked for in any order, and places in disorder are no axis.
  if (labels.ordered && chosen(labels.ordered->axis)) labels.ordered.reset();
}

ReportLabels for_report(const MatrixLabels& labels) {
  ReportLabels report{.image_shape = labels.image_shape,
                      .image_axis = labels.image_axis,
                      .names = labels.features(),
                      .name_axis = labels.feature_axis,
                      .ordered = labels.ordered};
  const Axis samples = report.sample_axis();
  report.sample_names = samples == Axis::rows ? labels.names.rows : labels.names.cols;
  report.groupings = samples == Axis::rows ? labels.groupings.rows : labels.groupings.cols;
  return report;
}

}  // namespace anmf::cli
