// SPDX-License-Identifier: MIT
// The beta-divergence of n entries x >= 0 from their model y > 0, entry by entry, b for beta:
//
//     d(x|y) = (x^b + (b-1) y^b - b x y^(b-1)) / (b (b-1));   b = 1: x log(x/y) - x + y;   b = 0: x/y -
//     log(x/y) - 1
//
// with slope s = y^(b-1) - x y^(b-2) in y. v >= 0 is the curvature of a convex function of y that touches d
// here and lies above it: that of d itself for 1 <= b <= 2; for b < 1 without y^b/b, which is concave there,
// for b > 2 without the term of x. One power, y^(b-2), gives all of them; b = 0, 0.5, 1, 1.5 and 2 need no
// logarithm.
#pragma once

#include <cstddef>

namespace anmf {

/// Sums over a row of M.
struct ModelSums {
  double curvature = 0;  ///< sum of v y^2
  double shared = 0;     ///< sum of u y^2, u being the shared curvature of every column
};

/// Some rows of entries x; those of other arrays are `stride` numbers from one row to the next.
template <class T>
struct EntryTile {
  const T* x = nullptr;
  std::size_t x_stride = 0;
  std::size_t stride = 0;
  std::size_t rows = 0;
  std::size_t n = 0;           ///< entries of a row
  const T* weights = nullptr;  ///< of the terms of entries; null: 1
};

/// All arrays have n entries; `above`, `s` and the like may be one of the arrays that are read. Where there
/// are `weights`, terms of entries are multiplied by them; null: 1.
template <class T>
struct DivergenceKernels {
  /// above = x y^(b-2) and, unless it is null, below = y^(b-1): the sums of multiplicative updates. Powers
  /// below zero are those of y or `floor`, whichever is larger.
  void (*ratios)(double beta, std::size_t n, T floor, const T* x, const T* y, T* above, T* below);
  /// s and v, unless they are null.
  void (*model)(double beta, std::size_t n, const T* x, const T* y, T* s, T* v, const T* weights);
  /// Of all rows of a tile, with y raised to `least`: s, the sums of every row added to `sums`, and v y^2 of
  /// all rows added to `total`, which like u has n entries.
  void (*models)(double beta, const EntryTile<T>& tile, T least, T* y, const T* u, T* s, ModelSums* sums,
                 T* total);
  /// y = max(y, least).
  void (*raise)(std::size_t n, T least, T* y);
  /// The slope along dy at y + t dy of the convex function above: the sum of dy sigma(y + t dy).
  double (*slope)(double beta, std::size_t n, const T* x, const T* y, const T* dy, T t, const T* weights);
  /// The same at y + dy for all rows of a tile, added to `slopes`; and a_i y^2 of all rows i to `shared`.
  void (*slopes)(double beta, const EntryTile<T>& tile, const T* y, const T* dy, const T* a, double* slopes,
                 T* shared);
  /// The sum of d(x | y + t dy); dy may be null.
  double (*value)(double beta, std::size_t n, const T* x, const T* y, const T* dy, T t, const T* weights);
};

/// The kernels for the machine that the program runs on.
template <class T>
[[nodiscard]] const DivergenceKernels<T>& divergence_kernels();
/// The same, looked up anew: tests take the kernels of every instruction set in turn.
template <class T>
[[nodiscard]] DivergenceKernels<T> find_divergence_kernels();

/// A model y below this multiple of itself along a step counts as this: the step never reaches zero.
inline constexpr double kLeastOfModel = 1e-12;

}  // namespace anmf
