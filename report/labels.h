// SPDX-License-Identifier: MIT
// What is known about the rows and columns of M: that they are the pixels of images, or what they are called.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "anmf/matrix.h"

namespace anmf::report {

struct ImageShape {
  Index height = 0;
  Index width = 0;
};

/// The rows or the columns of M. The rows of M go with the rows of W, the columns of M with the columns of H.
enum class Axis { rows, columns };

struct ReportLabels {
  std::optional<ImageShape> image_shape;
  Axis image_axis = Axis::rows;    ///< whose entries are the pixels
  std::vector<std::string> names;  ///< of all rows, or of all columns; empty if no names are known
  Axis name_axis = Axis::columns;  ///< whose names they are
};

}  // namespace anmf::report
