// SPDX-License-Identifier: MIT
// What one thread works on in a half-step of Newton's method with a shared curvature
// (loss/shared_newton.cpp): some rows with their entries, models, slopes and steps. Kept for the next ones.
#pragma once

#include <vector>

#include "kernels/divergence.h"
#include "kernels/panels.h"
#include "loss/lone_row.h"
#include "loss/row_method.h"

namespace anmf {

template <class T>
struct NewtonTile {
  Matrix<T> x;  ///< entries, where M does not have them as rows of T
  Matrix<T> y;  ///< models
  Matrix<T> s;  ///< their slopes, then their steps
  Matrix<T> gradient;
  Matrix<T> cross;
  Matrix<T> moved;  ///< where the sweeps end, then the steps there
  PanelBuffer<T> panels;
  std::vector<T> nothing;       ///< r zeros
  std::vector<ModelSums> sums;  ///< of every row
  std::vector<T> share;         ///< its a
  std::vector<double> slopes;   ///< at the end of its step, without the penalty
  LoneRows<T> alone;
  Matrix<T> weights;  ///< of the entries, where these do not count the same; else empty

  NewtonTile(Index rows, Index K, Index r);
  [[nodiscard]] bool fits(Index rows, Index K) const { return x.rows() >= rows && x.cols() == K; }
  [[nodiscard]] static MatrixView<T> rows_of(Matrix<T>& whole, Index rows) {
    return whole.view().middle_rows(0, rows);
  }

  [[nodiscard]] const T* weights_of(Index row) const {
    return weights.rows() == 0 ? nullptr : weights.view().row(row);
  }

  /// Models of the rows X beside their entries, with slopes, shares and the gradient; v y^2 of all rows is
  /// added to `total`. `turned` is the transpose of F, and u are the K shared curvatures.
  void make_models(const RowProblem<T>& problem, const Matrix<T>& turned, ConstMatrixView<T> entries,
                   ConstMatrixView<T> X, const T* u, T* total);
  /// Steps of the models from those of the rows, and the slopes where they end; a y^2 of all rows is added to
  /// `shared`.
  void make_steps(const RowProblem<T>& problem, const Matrix<T>& turned, ConstMatrixView<T> entries,
                  T* shared);
};

}  // namespace anmf
