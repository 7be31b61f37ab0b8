// SPDX-License-Identifier: MIT
// Sums over all rows of a factor that the fit of the losses which look at entries is made of
// (loss/entry_fit.cpp), in chunks of rows, and over all workers. Rows count as much as `weights` say;
// empty: 1.
#pragma once

#include <span>
#include <vector>

#include "core/workers.h"
#include "kernels/gradient.h"
#include "loss/penalty.h"
#include "loss/row_method.h"

namespace anmf {

/// How far the rows of X are from optimal, from the slope and the curvature along every coordinate
/// (loss/entry_pass.h), which have no part of the penalty. Without curvatures, an empty view, nothing is
/// promised.
template <class T>
[[nodiscard]] Optimality optimality_of(ConstMatrixView<T> X, ConstMatrixView<T> slope,
                                       ConstMatrixView<T> bend, const Penalty& penalty, double lower_bound,
                                       const Workers& workers, std::span<const T> weights = {});

/// The sum of every column of X, and behind them those of the squares.
template <class T>
[[nodiscard]] std::vector<double> sums_and_squares(ConstMatrixView<T> X, const Workers& workers,
                                                   std::span<const T> weights = {});

/// One multiplicative update of all rows, from their sums above and below.
template <class T>
void multiplicative_steps(const RowProblem<T>& problem, ConstMatrixView<T> above, ConstMatrixView<T> below,
                          MatrixView<T> X, ThreadPool& pool);

}  // namespace anmf
