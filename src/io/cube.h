// SPDX-License-Identifier: MIT
// Arrays of two axes, or of three, as matrices. Of three, two are the pixels of images: M has a row for each
// pixel, row by row of the images, and a column for each place on the third axis.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "anmf/matrix.h"
#include "anmf/matrix_file.h"

namespace anmf::io {

/// How the entries of an array, one after another as they are stored, make a matrix.
struct Unfolded {
  Index rows = 0;
  Index cols = 0;
  bool by_columns = false;  ///< the entries stand column by column, else row by row
  bool turned = false;      ///< the pixels stand column by column of their image
  Images images;            ///< if there are three axes

  /// Rows or columns, whichever lie together in the file, and how many entries each has.
  [[nodiscard]] Index lines() const { return by_columns ? cols : rows; }
  [[nodiscard]] Index width() const { return by_columns ? rows : cols; }
  /// The row of M that is row number `stored` in the file.
  [[nodiscard]] Index row_of(Index stored) const {
    return turned ? stored % images.height * images.width + stored / images.height : stored;
  }
};

/// `name` is for messages. Throws InvalidInput if there are neither two nor three axes; or two, although
/// `cube` speaks of three.
[[nodiscard]] Unfolded unfold(const std::string& name, const std::vector<Index>& shape, bool fortran_order,
                              Cube cube);

/// What unfold() says of a matrix that is no array of three axes. Throws InvalidInput unless `cube` is
/// `automatic`.
void expect_no_cube(const std::string& name, Cube cube);

/// "(3, 4)", as Python writes it.
[[nodiscard]] std::string shape_text(const std::vector<Index>& shape);

/// Puts entries in their places, the first of which is entry number `first` of the file.
template <class S>
void put_run(const Unfolded& as, Index first, std::span<const S> run, Matrix<S>& matrix) {
  if (run.empty()) return;
  Index line = first / as.width();
  Index at = first % as.width();
  for (const S value : run) {
    if (as.by_columns) {
      matrix(as.row_of(at), line) = value;
    } else {
      matrix(as.row_of(line), at) = value;
    }
    if (++at == as.width()) {
      at = 0;
      ++line;
    }
  }
}

/// All entries in their places, from lines as they are stored.
template <class S>
[[nodiscard]] Matrix<S> arranged(const Unfolded& as, Matrix<S> lines) {
  if (!as.turned) return as.by_columns ? transposed(lines) : std::move(lines);
  Matrix<S> matrix(as.rows, as.cols);
  put_run<S>(as, 0, std::as_const(lines).values(), matrix);
  return matrix;
}

}  // namespace anmf::io
