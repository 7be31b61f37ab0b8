// SPDX-License-Identifier: MIT
// One tall factor X (N x r) beside what a half-step takes from it and from M.
#pragma once

#include "anmf/matrix.h"

namespace anmf {

template <class T>
struct FactorState {
  Matrix<T> X;               ///< W or Ht, or the rows of it that this worker holds
  Index first_row = 0;       ///< of X in the whole factor
  Index rows_elsewhere = 0;  ///< that other workers hold
  Matrix<double> gram;       ///< X' X
  Matrix<T> cross;           ///< M times the other factor, N x r; empty until it is first wanted

  [[nodiscard]] Index all_rows() const { return X.rows() + rows_elsewhere; }
};

}  // namespace anmf
