// SPDX-License-Identifier: MIT
// Exact nonnegative least squares from the normal equations, for many right-hand sides:
//
//     min over x >= 0 of  1/2 x' G x - c' x,   G: r x r, symmetric, positive semidefinite
//
// by block principal pivoting (Kim and Park, SIAM J. Sci. Comput. 2011). Variables are scaled so that G
// has a unit diagonal: tolerances then mean the same for every component and every scale of the data.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <vector>

#include "anmf/matrix.h"

namespace anmf {

class NnlsSolver {
 public:
  /// A variable whose diagonal entry is at most tiny * max diagonal is left alone: the others are solved for
  /// beside the value it has.
  NnlsSolver(ConstMatrixView<double> gram, double tiny);

  struct Report {
    double flops = 0;
    Index fallback_rows = 0;  ///< rows that pivoting did not settle and the active-set method did
  };

  /// Solves for every row of C (k x r); the rows of X (k x r) are warm starts on entry and the solutions
  /// on return. Every row satisfies x >= 0 and G x - c >= 0 with complementarity, up to rounding.
  /// `look` is called every few milliseconds and may throw to give up.
  [[nodiscard]] Report solve(
      ConstMatrixView<double> C, MatrixView<double> X, const std::function<void()>& look = [] {}) const;

 private:
  class Block;

  Eigen::MatrixXd gram_;          // unit diagonal; rows and columns of variables left alone are zero
  Eigen::VectorXd scale_;         // sqrt of the diagonal; 0 for variables left alone
  std::vector<Index> variables_;  // the others
  std::vector<Index>
      left_alone_;            // those with a diagonal entry of zero, which change nothing, are not listed
  Eigen::MatrixXd coupling_;  // column k: G_:q / scale of variable q = left_alone_[k]
};

}  // namespace anmf
