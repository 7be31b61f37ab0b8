// SPDX-License-Identifier: MIT
// A half-step improves, with the fixed factor's Gram matrix G (r x r) and the cross product C (N x r),
//
//     min over X >= 0 of  1/2 <X, X G> - <C - l1, X>        (X is N x r; every row is independent)
//
// X is W or H', M is dense or sparse or elsewhere: a rule does not know and must not ask.
#pragma once

#include <memory>

#include "anmf/options.h"
#include "core/workers.h"

namespace anmf {

template <class T>
struct HalfStep {
  ConstMatrixView<T> gram;   ///< G, with the quadratic penalty already on its diagonal
  ConstMatrixView<T> cross;  ///< C, without penalty
  T l1 = 0;                  ///< linear penalty of every entry of X
  /// A rule that has the gradient at hand does not move X once the norm of the projected gradient is
  /// below this, and says so. 0 asks nothing.
  double gradient_tolerance = 0;
  Workers workers;
};

struct SweepReport {
  double squared_step = 0;  ///< ||X_new - X_old||_F^2
  double flops = 0;
  bool stationary = false;  ///< X has not moved: within the gradient tolerance, or no step changes it
};

template <class T>
class UpdateRule {
 public:
  UpdateRule() = default;
  UpdateRule(const UpdateRule&) = delete;
  UpdateRule& operator=(const UpdateRule&) = delete;
  virtual ~UpdateRule() = default;

  /// Called before the first sweep of every half-step.
  virtual void begin_half() {}
  /// One inner iteration, in place.
  virtual SweepReport sweep(const HalfStep<T>& half, MatrixView<T> X) = 0;

  /// One sweep solves the half-step exactly.
  [[nodiscard]] virtual bool exact() const { return false; }
  /// The smallest value an entry may take.
  [[nodiscard]] virtual double lower_bound() const { return 0; }
  /// The rule needs every component alive: a column of X that became zero is set to a small value.
  [[nodiscard]] virtual bool revives_zero_columns() const { return false; }
};

/// A diagonal entry of G at most this multiple of the largest one counts as zero and is never divided by.
template <class T>
inline constexpr double kTinyDiagonal = std::is_same_v<T, float> ? 1e-12 : 1e-30;

template <class T>
[[nodiscard]] std::unique_ptr<UpdateRule<T>> make_mu(double delta);
template <class T>
[[nodiscard]] std::unique_ptr<UpdateRule<T>> make_hals();
template <class T>
[[nodiscard]] std::unique_ptr<UpdateRule<T>> make_pg();
template <class T>
[[nodiscard]] std::unique_ptr<UpdateRule<T>> make_bpp();

template <class T>
[[nodiscard]] std::unique_ptr<UpdateRule<T>> make_rule(RuleKind kind, double delta) {
  switch (kind) {
    case RuleKind::mu:
      return make_mu<T>(delta);
    case RuleKind::hals:
      return make_hals<T>();
    case RuleKind::pg:
      return make_pg<T>();
    case RuleKind::bpp:
      return make_bpp<T>();
  }
  return nullptr;
}

}  // namespace anmf
