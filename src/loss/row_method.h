// SPDX-License-Identifier: MIT
// How a factor X (N x r) is improved while the entries of A, which is M or M', are looked at, for losses that
// have no products with M to share between sweeps: D(A | X F') + penalty(X), with F (K x r) fixed. Rows are
// independent.
#pragma once

#include <memory>
#include <span>

#include "anmf/options.h"
#include "core/workers.h"
#include "loss/entry_pass.h"
#include "loss/penalty.h"

namespace anmf {

/// One half-step.
template <class T>
struct RowProblem {
  Side side = Side::W;
  double beta = 2;
  ConstMatrixView<T> F;
  std::span<const double> column_sums;  ///< of F, with the weights of its rows
  Penalty penalty;
  Index budget = 1;    ///< sweeps at the most
  double epsilon = 0;  ///< sweeps over rows end when a step is at most this multiple of the first
  double lower_bound = 0;
  double least_entry = 0;      ///< what multiplicative updates leave below it becomes zero
  double floor = kRatioFloor;  ///< of models in the ratios of multiplicative updates
  bool wants_loss = false;
};

/// Sums over the rows that were improved, in an order that the matrix determines.
struct RowReport {
  double sweeps = 0;  ///< of every row as many as there were, times its weight
  double weight = 0;  ///< of all rows: 1 each, or their nonzeros where these are what a sweep costs
  double flops = 0;
  double loss = 0;  ///< of the improved rows, if it was wanted
};

template <class T>
class RowMethod {
 public:
  RowMethod() = default;
  RowMethod(const RowMethod&) = delete;
  RowMethod& operator=(const RowMethod&) = delete;
  virtual ~RowMethod() = default;

  /// Before the first block of a half-step and after the last one.
  virtual void begin(const RowProblem<T>& problem, ConstMatrixView<T> X, const Workers& workers) {
    (void)problem, (void)X, (void)workers;
  }
  virtual void end(const RowProblem<T>& problem, const Workers& workers) { (void)problem, (void)workers; }
  /// Improves all rows of a block that has all columns; X are those rows.
  virtual void improve(const RowProblem<T>& problem, const EntryBlock<T>& block, MatrixView<T> X,
                       ThreadPool& pool, RowReport& report) = 0;
  /// What a half-step costs beside one more sweep of it: the paper's rho.
  [[nodiscard]] virtual double rho(Index K, Index r) const = 0;

  /// What half-steps of a side keep in memory beside M and the factors.
  [[nodiscard]] virtual double bytes(const RowSizes& sizes) const = 0;

  /// What a half-step leaves to the next one of its side: K numbers, or none, and one more.
  struct Memory {
    Matrix<T> curvature;
    double mean = 0;
    Index gentle = 0;  ///< multiplicative half-steps that were made
  };
  [[nodiscard]] virtual Memory* memory(Side side) {
    (void)side;
    return nullptr;
  }
};

/// Multiplicative updates, for every beta: x <- x (above / (below + l1 + l2 x))^gamma.
template <class T>
[[nodiscard]] std::unique_ptr<RowMethod<T>> make_mu_rows();
/// One Newton model whose curvature all rows share (loss/shared_newton.cpp), for every beta. The first
/// half-steps of a side, so many, are multiplicative updates.
template <class T>
[[nodiscard]] std::unique_ptr<RowMethod<T>> make_shared_newton(Index gentle_steps = 0);
/// Normal equations of every row, for least squares with weights (loss/row_gram.cpp).
template <class T>
[[nodiscard]] std::unique_ptr<RowMethod<T>> make_row_gram();
/// Coordinate descent over the nonzeros (kernels/kl_panel.h), for beta = 1.
template <class T>
[[nodiscard]] std::unique_ptr<RowMethod<T>> make_kl_descent();

/// That of a rule.
template <class T>
[[nodiscard]] std::unique_ptr<RowMethod<T>> make_row_method(const Rule& rule, double beta);
/// With how many iterations of plain multiplicative updates a run begins. Below beta = 1 the loss of a model
/// that is too small is steep, far steps from a bad start lead into the next dead end, and spectra of sounds
/// end up to twice as high as where slow steps lead.
[[nodiscard]] Index gentle_iterations(const Rule& rule, double beta);

/// gamma, for b = beta: 1/(2-b) for b < 1, 1/(b-1) for b > 2, else 1.
[[nodiscard]] double multiplicative_exponent(double beta);
/// scikit-learn's `least_entry`: updates that divide by small models make zeros of what dies out.
[[nodiscard]] double least_entry_of(Side side, double beta);
/// The multiplicative update of one row, in place; returns the squared step.
template <class T>
double multiplicative_step(const RowProblem<T>& problem, const T* above, const T* below, Index r, T* x);

}  // namespace anmf
