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

/// The rows of M go with the rows of W, the columns of M with the columns of H.
enum class Side { rows, columns };

struct ReportLabels {
  std::optional<ImageShape> image_shape;
  Side image_side = Side::rows;
  std::vector<std::string> names;  ///< empty if nothing is known
  Side name_side = Side::columns;
};

}  // namespace anmf::report
