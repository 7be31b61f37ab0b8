// SPDX-License-Identifier: MIT
// The pair W (m x r), Ht (n x r) of a run and its fit to M: the seam between the outer loop and the loss.
//
//     objective = loss(M, W H) + penalty(W) + penalty(H)
//
// A fit owns the factors, their Gram matrices and what it keeps of M's products with them. It knows which of
// these are still those of the pair: the loop changes a factor through X() and says so by moved(), and asks
// for products by wants...() before it asks for anything that is made of them. What the loss is, the loop
// does not know: a half-step is a quadratic model (kernels/half_step.h), whoever made it.
#pragma once

#include <array>
#include <memory>
#include <span>

#include "core/factors.h"
#include "core/state_exchange.h"
#include "kernels/gradient.h"
#include "kernels/half_step.h"
#include "loss/factor_state.h"
#include "loss/penalty.h"
#include "loss/wanted.h"

namespace anmf {

/// What the model of a half-step is good for.
enum class Model {
  exact,      ///< it is the objective itself: any number of sweeps
  majoriser,  ///< it lies above the objective and touches it here: any number of sweeps, none of which rises
  one_sweep,  ///< it holds at the factor as it is: one sweep, then it must be made anew
  own         ///< there is none: the fit improves the factor itself while it looks at the entries of M
};

/// What a fit with a model of its own has done in a half-step.
struct HalfWork {
  double flops = 0;
  Index sweeps = 0;
};

/// What one pair of factors achieves.
struct Value {
  double loss = 0;
  double penalty = 0;
  double rounding = 0;  ///< by which the objective may be off, from the way it was evaluated

  [[nodiscard]] double objective() const { return loss + penalty; }
};

/// A value as people see it, in the units of their M.
struct Reported {
  double error = 0;           ///< sqrt(2 loss); for least squares ||M - W H||
  double relative_error = 0;  ///< error over what the loss refers to; for least squares ||M||
  double penalty = 0;
};

template <class T>
class FitTerm {
 public:
  FitTerm(const Data<T>& data, Factors<T> start, const Penalties& penalties, const Workers& workers);
  FitTerm(const FitTerm&) = delete;
  FitTerm& operator=(const FitTerm&) = delete;
  virtual ~FitTerm() = default;

  [[nodiscard]] const FactorState<T>& factor(Side side) const { return states_[side == Side::W ? 0 : 1]; }
  [[nodiscard]] const Matrix<double>& gram(Side side) const { return factor(side).gram; }
  [[nodiscard]] double gram_seconds(Side side) const { return gram_seconds_[side == Side::W ? 0 : 1]; }
  [[nodiscard]] const Penalties& penalties() const { return penalties_; }
  [[nodiscard]] Factors<T> take_factors();

  /// The factor itself. Whoever changes it calls moved() before anything else is asked for.
  [[nodiscard]] Matrix<T>& X(Side side) { return state(side).X; }
  /// X of this side has changed: its Gram matrix is made anew, and what hung on it is stale.
  void moved(Side side);
  /// Sets columns of X that became zero to something tiny, together with their partners. True if there were
  /// any. A loss that has no use for this leaves them.
  virtual bool revive(Side side) = 0;
  /// Brings components back whose scale has drifted; nothing becomes stale. True if there were any.
  virtual bool balance() = 0;

  /// What must be multiplied before half(), value(), or half() of both sides can be asked for. A half-step
  /// that goes by blocks of rows says how it improves them, and may then be made while M is read.
  [[nodiscard]] virtual Wanted<T> wants_for_half(Side side, BlockUpdate<T> update) = 0;
  [[nodiscard]] virtual Wanted<T> wants_for_value(Side last_updated) = 0;
  /// `at` are the factors whose optimality is asked for, beside the other one as it is; those of the pair
  /// where a view is empty. Where both are, the norms of the gradient are asked for and no more.
  [[nodiscard]] virtual Wanted<T> wants_for_gradients(const std::array<ConstMatrixView<T>, 2>& at) = 0;
  /// What was wanted is there; if a half-step was made on the way, its factor has moved too.
  virtual void supplied(const Wanted<T>& wanted) = 0;
  /// Seconds of the product behind half().
  [[nodiscard]] virtual double product_seconds(Side side) const = 0;

  /// The problem of one side at the pair as it is; its views are valid until this is called again.
  [[nodiscard]] virtual HalfStep<T> half(Side side) = 0;
  [[nodiscard]] virtual Model model() const = 0;
  /// The half-step that supplied() has made, where the model is the fit's own.
  [[nodiscard]] virtual HalfWork made_half() const { return {}; }
  /// Flops of what a half-step of this side needs from M and from the other factor, and the paper's rho: what
  /// its first sweep costs with that, relative to the next ones.
  [[nodiscard]] virtual double half_flops(Side side) const = 0;
  [[nodiscard]] virtual double rho(Side side) const = 0;
  /// Flops of a look at the gradients that no product of the next iteration pays for.
  [[nodiscard]] virtual double look_flops() const { return 0; }

  /// How far X, as the factor of a side, is from optimal where the other one is as it is. Needs what half()
  /// needs. The measures are those of the half problem; a loss whose model has no curvature brings its own.
  [[nodiscard]] virtual Optimality optimality(Side side, ConstMatrixView<T> X, double lower_bound);
  /// The norms of the gradient at the pair.
  [[nodiscard]] virtual GradientNorms norms_of_gradient(Side side, double lower_bound);

  /// The objective at the pair; `last_updated` is the side whose half-step came last.
  [[nodiscard]] Value value(Side last_updated);
  /// `scale` is what M was divided by.
  [[nodiscard]] virtual Reported reported(const Value& value, double scale) const = 0;
  /// What values of the loss are compared with: that of W H = 0 for least squares.
  [[nodiscard]] virtual double reference() const = 0;
  /// The a for which a W H fits best, without penalties. Needs what the value needs.
  [[nodiscard]] virtual double best_multiple(Side last_updated) = 0;

  /// Names what it keeps from one half-step to the next, beside the factors.
  virtual void exchange(StateExchange<T>& part) { (void)part; }

 protected:
  struct Loss {
    double value = 0;
    double rounding = 0;
  };
  [[nodiscard]] virtual Loss loss(Side last_updated) = 0;
  virtual void make_stale(Side moved) = 0;
  /// Makes anew what is known of a factor alone.
  virtual void refresh(Side side) { refresh_gram(side); }
  void refresh_gram(Side side);

  [[nodiscard]] FactorState<T>& state(Side side) { return states_[side == Side::W ? 0 : 1]; }
  [[nodiscard]] const Data<T>& data() const { return data_; }
  [[nodiscard]] const Workers& workers() const { return workers_; }
  /// How much the rows of a factor that are here count; empty: 1.
  [[nodiscard]] std::span<const T> weights_of_rows(Side side) const;

 private:
  [[nodiscard]] double penalty();

  const Data<T>& data_;
  Penalties penalties_;
  Workers workers_;
  std::array<FactorState<T>, 2> states_;
  std::array<double, 2> gram_seconds_ = {0, 0};
};

/// The fit of a run by least squares; loss/entry_fit.h has the other losses.
template <class T>
[[nodiscard]] std::unique_ptr<FitTerm<T>> make_fit(const Data<T>& data, Factors<T> start,
                                                   const Penalties& penalties, const Workers& workers);

}  // namespace anmf
