// SPDX-License-Identifier: MIT
// The rows x (r) of X that fit the rows a (K) of a block best beside a given F (K x r), for losses that look
// at entries: each row is brought to the minimum of D(a | F x) + penalty(x) by the method of its loss
// (loss/row_method.h), started anew. What is done to a row hangs on that row alone.
#pragma once

#include <vector>

#include "anmf/entries.h"
#include "anmf/parallel.h"
#include "loss/penalty.h"

namespace anmf {

/// The components that rows are fitted to. Rows are copied and worked on in double: a narrower type would run
/// out of digits before the end.
struct FixedFactor {
  double beta = 1;
  Penalty penalty;
  Matrix<double> F;                 ///< K' x r: the columns of M in which a component has something
  std::vector<Index> place;         ///< of every column of M in F, or -1
  std::vector<double> column_sums;  ///< of F

  /// For all columns of M; `all` is K x r.
  FixedFactor(double beta_of_loss, const Penalty& penalty_of_rows, const Matrix<double>& all);
};

/// X are the rows of the block, which has all columns; what is in them does not matter. Returns the largest
/// violation of the optimality conditions, as NnlsResult::kkt has it.
template <class T>
[[nodiscard]] double fit_optimal_rows(const FixedFactor& factor, const EntryBlock<T>& block, MatrixView<T> X,
                                      ThreadPool& pool);

}  // namespace anmf
