// SPDX-License-Identifier: MIT
// One tall factor X (N x r) with the quantities a half-step needs and leaves behind.
#pragma once

#include "anmf/data.h"
#include "outer/plan.h"

namespace anmf {

template <class T>
struct FactorState {
  Matrix<T> X;                    ///< W or Ht, or the rows of it that this worker holds
  Index first_row = 0;            ///< of X in the whole factor
  Index rows_elsewhere = 0;       ///< that other workers hold
  Matrix<double> gram;            ///< X' X
  Matrix<T> cross;                ///< M times the other factor, N x r
  bool cross_is_current = false;  ///< the other factor has not changed since `cross` was computed
  double product_seconds = 0;     ///< that it took to compute `cross`
  double gram_seconds = 0;        ///< that it took to compute `gram`
  Penalty penalty;
  double rho = 1;                 ///< from flops; a measured one replaces it after every half
  double usual_squared_step = 0;  ///< of the first sweep of the last half-step, per row; block stop only
  double gradient_tolerance = 0;  ///< Lin's subproblem tolerance, 0 for other methods
  double squared_gradient = 0;    ///< squared projected gradient at the last evaluation
  Index inner_iterations = 0;     ///< of the last half-step

  [[nodiscard]] Index all_rows() const { return X.rows() + rows_elsewhere; }
};

}  // namespace anmf
