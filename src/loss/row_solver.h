// SPDX-License-Identifier: MIT
// Brings rows to the minimum of their own problem beside a fixed factor (loss/optimal_rows.h): rounds of a
// row method and a look at what is left to gain, until that is nothing. Rows that are done leave, so that
// those of a panel that take long are swept over side by side.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "anmf/entries.h"
#include "loss/optimal_rows.h"
#include "loss/row_method.h"

namespace anmf {

/// A round: so many half-steps of the method, of at most so many sweeps.
struct RowEffort {
  Index steps;
  Index sweeps;
  double epsilon;
};
/// Of Newton's method, for a row alone.
inline constexpr RowEffort kNewtonEffort = {.steps = 4, .sweeps = 20, .epsilon = 1e-3};

/// The rows that one thread works on: their nonzeros, or one dense row.
struct RowsAtWork {
  std::vector<Index> rows;  // their places in the block
  Matrix<double> X;
  Csr<double> nonzeros;
  Matrix<double> dense;
  Matrix<double> weights;  // of the dense row, if its entries do not count the same

  [[nodiscard]] EntryBlock<double> block(Index K) const {
    EntryBlock<double> shown{.rows = {0, X.rows()}, .columns = {0, K}};
    if (dense.rows() > 0) {
      shown.lines = dense.view();
      if (weights.rows() > 0) {
        shown.weights.counted = Counted::each;
        shown.weights.own = weights.view();
      }
    } else {
      shown.lines = SparseLines<double>(nonzeros);
    }
    return shown;
  }

  /// Drops all rows but these.
  void keep(const std::vector<Index>& places);
};

class RowSolver {
 public:
  RowSolver(const FixedFactor& problem, std::unique_ptr<RowMethod<double>> method, const RowEffort& effort,
            ThreadPool& pool);

  /// Writes the rows of X that `working` has; returns the largest violation.
  template <class T>
  double solve(RowsAtWork working, MatrixView<T> X);

 private:
  /// How far a row is from its minimum.
  struct Distance {
    double kkt = 0;
    bool done = true;
  };

  void start(RowsAtWork& working) const;
  void improve(RowsAtWork& working);
  [[nodiscard]] std::vector<Distance> look(const RowsAtWork& working) const;
  [[nodiscard]] Distance distance(const double* x, const double* above, const double* slope,
                                  const double* bend, double loss) const;

  const FixedFactor& problem_;
  ThreadPool& pool_;
  ThreadPool alone_;  // rows are shared between threads, not the work on one of them
  RowEffort effort_;
  std::unique_ptr<RowMethod<double>> method_;
  RowProblem<double> half_;
};

}  // namespace anmf
