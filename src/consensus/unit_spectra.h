// SPDX-License-Identifier: MIT
// What the measures of a consensus share: spectra as rows of norm 1 (X, N x n), a few rows of X X' at a time,
// and distances from those products.
#pragma once

#include <string_view>
#include <vector>

#include "anmf/matrix.h"
#include "core/chunks.h"

namespace anmf {

/// unit_rows() in place.
void scale_to_unit_rows(MatrixView<double> rows);

/// Throws InvalidInput for an entry that is not finite.
void check_spectra(std::string_view name, ConstMatrixView<double> spectra);

/// Throws InvalidInput unless there are k > 0 spectra for every start; the number of starts.
[[nodiscard]] Index check_starts(std::string_view name, ConstMatrixView<double> spectra, Index k);

/// Chunks of rows of X X': every thread has one of them, and not the whole product. More rows would be
/// multiplied no faster, and many would leave threads without work.
[[nodiscard]] inline Chunks product_rows(Index rows) { return {rows, 64, 1024}; }

/// Rows [begin, end) of X X', the columns from `first` on.
[[nodiscard]] Matrix<double> rows_of_products(ConstMatrixView<double> X, Index begin, Index end,
                                              Index first = 0);

/// What a pass over X X' costs.
[[nodiscard]] inline double product_flops(ConstMatrixView<double> X) {
  return 2 * static_cast<double>(X.rows) * static_cast<double>(X.rows) * static_cast<double>(X.cols);
}

/// ||x||^2 of every row.
[[nodiscard]] std::vector<double> squared_norms(ConstMatrixView<double> X);

/// Closer than this, two rows of norm 1 are compared entry by entry: nothing is left of their distance in a
/// product, whose own rounding would be a distance of 1e-8.
inline constexpr double kCloseRows = 1e-6;

/// ||x - y||^2 by their squared norms and their product.
[[nodiscard]] double squared_distance(const double* x, const double* y, Index n, double squared_x,
                                      double squared_y, double product);

}  // namespace anmf
