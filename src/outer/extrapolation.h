// SPDX-License-Identifier: MIT
// Extrapolated alternation (Ang and Gillis, Neural Computation 2019). With base (W, H) and weight beta,
//
//     W half from Y:    Wn;   Y  = max(0, Wn + beta (Wn - W))       the first side, projected
//     H half with Y:    Hn;   e  = ||M - Y Hn||, free of charge, for a pair that is feasible
//     e rose:   Y = W, Hy = H, beta shrinks;   else:   Hy = Hn + beta (Hn - H),  W = Wn,  H = Hn,  beta grows
//
// Nothing says that the half-steps from (W, H) lead below the pair (Y, H) that was accepted beside it. After
// three rises in a row that pair becomes the base, and the next iteration is plain alternation. Hy, the
// second side, is not projected: the next half-step starts from it and may move it anywhere. The pair (Y, Hn)
// with the lowest error is the one that is shown and returned. "First" and "second" are the sides in the
// order of their half-steps.
#pragma once

#include <string>

#include "anmf/matrix.h"
#include "anmf/parallel.h"

namespace anmf {

/// The weights beta, apart from the matrices.
class ExtrapolationWeight {
 public:
  /// The weight of this iteration.
  [[nodiscard]] double beta() const { return quiet_iterations_ > 0 ? 0 : beta_; }
  void accepted();
  void rejected();
  /// So many iterations do not extrapolate.
  void pause(Index iterations = 1) { quiet_iterations_ = static_cast<int>(iterations); }
  /// So many rejections in a row that the way from the base leads nowhere.
  [[nodiscard]] bool stuck() const { return rejections_ >= kPatience; }

  /// Names its state to an Exchange (core/state_exchange.h).
  template <class Exchange>
  void exchange(Exchange& part) {
    part("extrapolation.quiet_iterations", quiet_iterations_);
    part("extrapolation.rejections", rejections_);
    part("extrapolation.beta", beta_);
    part("extrapolation.accepted_beta", accepted_beta_);
    part("extrapolation.limit", limit_);
  }

 private:
  static constexpr int kPatience = 3;

  int quiet_iterations_ = 1;  // the first steps point nowhere yet
  int rejections_ = 0;        // in a row
  double beta_ = 0.5;
  double accepted_beta_ = 0.5;  // of the last iteration that was accepted
  double limit_ = 1;
};

template <class T>
class Extrapolation {
 public:
  /// No entry of either side is lowered below `keeps` times itself: 1 for a rule that cannot leave a positive
  /// orthant (MU), so that only growth is extrapolated. 0 is the usual case: the second side may leave it.
  Extrapolation(const Matrix<T>& first, const Matrix<T>& second, double keeps);

  /// False in an iteration of plain alternation, whose objective cannot rise but by rounding.
  [[nodiscard]] bool active() const { return weight_.beta() > 0; }
  /// After the first half-step of rows [begin, end): keeps them (Wn) and replaces them in X by Y.
  void extrapolate_first(Matrix<T>& X, Index begin, Index end, ThreadPool& pool);
  /// After an iteration that lowered the objective: X_first is Y, X_second is Hn, and becomes Hy.
  void accept(const Matrix<T>& X_first, Matrix<T>& X_second, ThreadPool& pool);
  /// After one that did not: both go back to the base.
  void reject(Matrix<T>& X_first, Matrix<T>& X_second);
  /// The base is the last pair that was accepted: the factors are it after a rejection.
  [[nodiscard]] bool based_on_best() const { return weight_.stuck(); }
  /// Before an iteration is accepted: its steps are not to be continued.
  void restart(const Matrix<T>& X_first, const Matrix<T>& X_second);
  /// So many iterations, at least one, are those of plain alternation.
  void rest(Index iterations) { weight_.pause(iterations); }
  /// A component was replaced: this iteration's step says nothing about the next one.
  void forget_step() { step_counts_ = false; }

  /// The last pair that was accepted.
  [[nodiscard]] const Matrix<T>& best_first() const { return best_first_; }
  [[nodiscard]] const Matrix<T>& best_second() const { return base_second_; }

  /// What it keeps, and how much of that is part of a checkpoint.
  [[nodiscard]] static double bytes(Index first_rows, Index second_rows, Index rank) {
    return static_cast<double>((3 * first_rows + second_rows) * rank) * sizeof(T);
  }
  [[nodiscard]] static double checkpoint_bytes(Index first_rows, Index second_rows, Index rank) {
    return static_cast<double>((2 * first_rows + second_rows) * rank) * sizeof(T);
  }

  /// Names its state between two iterations to an Exchange; `first` and `second` are "W." and "H.", or the
  /// other way round.
  template <class Exchange>
  void exchange(Exchange& part, const std::string& first, const std::string& second) {
    part("extrapolation.step_counts", step_counts_);
    weight_.exchange(part);
    part(first + "base", base_first_);
    part(first + "best", best_first_);
    part(second + "base", base_second_);
  }

 private:
  T keeps_;
  bool step_counts_ = true;
  ExtrapolationWeight weight_;
  Matrix<T> base_first_;     // W
  Matrix<T> pending_first_;  // Wn, until the iteration is accepted
  Matrix<T> best_first_;     // Y of the last accepted iteration
  Matrix<T> base_second_;    // H
};

}  // namespace anmf
