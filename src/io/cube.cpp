// SPDX-License-Identifier: MIT
#include "io/cube.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "anmf/error.h"

namespace anmf::io {

std::string shape_text(const std::vector<Index>& shape) {
  return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

void expect_no_cube(const std::string& name, Cube cube) {
  if (cube == Cube::automatic) return;
  throw InvalidInput(
      fmt::format("{}: holds a matrix, and not an array of three axes of which two could be pixels.", name));
}

Unfolded unfold(const std::string& name, const std::vector<Index>& shape, bool fortran_order, Cube cube) {
  if (shape.size() == 2) {
    expect_no_cube(name, cube);
    return {.rows = shape[0], .cols = shape[1], .by_columns = fortran_order, .turned = false, .images = {}};
  }
  if (shape.size() != 3) {
    throw InvalidInput(fmt::format(
        "{}: {} dimension{} found, shape {}; expected 2, rows and columns, or 3, of which two are "
        "the pixels of images.",
        name, shape.size(), shape.size() == 1 ? "" : "s", shape_text(shape)));
  }
  const bool last = cube == Cube::pixels_last;
  Unfolded result;
  result.images = {
      .height = shape[last ? 1 : 0], .width = shape[last ? 2 : 1], .guessed = cube == Cube::automatic};
  if (__builtin_mul_overflow(result.images.height, result.images.width, &result.rows)) {
    throw InvalidInput(fmt::format("{}: an array of {} has more entries than 64 bits can count.", name,
                                   fmt::join(shape, " x ")));
  }
  result.cols = shape[last ? 0 : 2];
  // The axis that moves fastest is the last in C order, and the first in Fortran order.
  result.by_columns = last != fortran_order;
  result.turned = fortran_order;
  return result;
}

}  // namespace anmf::io
