// SPDX-License-Identifier: MIT
// What is known about the rows and columns of M: that they are the pixels of images, places along an axis, or
// what they are called.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "anmf/matrix.h"
#include "anmf/word_columns.h"

namespace anmf::report {

struct ImageShape {
  Index height = 0;
  Index width = 0;
};

/// The rows or the columns of M. The rows of M go with the rows of W, the columns of M with the columns of H.
enum class Axis { rows, columns };

[[nodiscard]] constexpr Axis other(Axis axis) { return axis == Axis::rows ? Axis::columns : Axis::rows; }

/// Features that have an order, as wavelengths do: each has a place, ascending or descending.
struct OrderedFeatures {
  std::vector<double> places;
  std::string name;  ///< of the axis; may be empty
  Axis axis = Axis::columns;
};

using Grouping = io::WordColumn;  ///< a word for each row, or each column, of M

struct ReportLabels {
  std::optional<ImageShape> image_shape;
  Axis image_axis = Axis::rows;    ///< whose entries are the pixels
  std::vector<std::string> names;  ///< of all rows, or of all columns; empty if no names are known
  Axis name_axis = Axis::columns;  ///< whose names they are
  std::optional<OrderedFeatures> ordered;
  std::vector<std::string> sample_names;  ///< of sample_axis(); empty if no names are known
  std::vector<Grouping> groupings;        ///< of sample_axis()

  /// Whose entries tell what a component is.
  [[nodiscard]] Axis feature_axis() const {
    if (ordered) return ordered->axis;
    if (!names.empty()) return name_axis;
    return image_shape ? image_axis : Axis::columns;
  }
  /// What M has many of: documents, cells, pictures.
  [[nodiscard]] Axis sample_axis() const { return other(feature_axis()); }
};

}  // namespace anmf::report
