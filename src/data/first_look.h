// SPDX-License-Identifier: MIT
// What one look at all blocks of a matrix tells: norms, empty rows and columns, and how many nonzeros every
// position of a line has. Sums are made line by line, so they do not depend on where the blocks end.
#pragma once

#include <vector>

#include "anmf/stream.h"

namespace anmf {

class FirstLook {
 public:
  /// Lines of this many entries, which are rows or columns of the matrix.
  FirstLook(Index width, Layout layout, bool sparse);

  template <class S>
  void add(const Matrix<S>& lines);
  template <class T>
  void add(const Csr<T>& lines);

  [[nodiscard]] Index nonzeros() const { return nonzeros_; }
  [[nodiscard]] double norm() const;
  [[nodiscard]] std::vector<double> column_norms() const;
  [[nodiscard]] Index empty_lines() const { return empty_lines_; }
  [[nodiscard]] Index empty_positions() const;
  /// How many nonzeros there are before every position; sparse only.
  [[nodiscard]] std::vector<Index> offsets() const;

 private:
  /// Takes a line of this maximum into account before its squares are added.
  void expect(double max);
  void add_line(double squares);

  Layout layout_;
  double scale_ = 1;  // what entries are divided by, so that no square leaves the range
  double max_ = 0;
  double squares_ = 0;
  std::vector<double> column_squares_;
  std::vector<Index> counts_;  // of a sparse matrix, by position
  std::vector<char> used_;     // of a dense one
  Index nonzeros_ = 0;
  Index empty_lines_ = 0;
};

}  // namespace anmf
