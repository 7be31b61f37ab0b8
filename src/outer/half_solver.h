// SPDX-License-Identifier: MIT
// The inner iterations of half-steps: sweeps of an update rule over one factor X (N x r) while the products
// with M stay as they are, until the inner stop says enough (the paper, section 3). All rows stop together,
// or one block of rows after the other. In the second case a half-step can be made while M (m x n) is read.
// For blocks M_b of rows of M, with H fixed,
//
//     A_b = M_b H';    sweeps over W_b with A_b and H H';    Y_b, W_b extrapolated;    C += M_b' Y_b
//
// and C = M' Y, the product that the half-step of H needs, is there after one read of M instead of two. W_b
// depends on H alone, so the iterates are those of two reads. The same with the sides exchanged.
#pragma once

#include <array>
#include <memory>
#include <string>

#include "core/stopwatch.h"
#include "loss/fit_term.h"
#include "outer/plan.h"
#include "rules/update_rule.h"

namespace anmf {

template <class T>
class HalfSolver {
 public:
  HalfSolver(const Options& options, const Plan& plan, const FitTerm<T>& fit, const Workers& workers);

  [[nodiscard]] const UpdateRule<T>& rule() const { return *rule_; }
  /// Inner iterations of the last half-step of a side.
  [[nodiscard]] Index inner_iterations(Side side) const { return halves_[index(side)].inner_iterations; }
  /// Lin's rule: a half-step ends where the norm of its projected gradient is below this.
  void set_gradient_tolerance(double tolerance);

  /// Before the product of a half-step is made: clears what no product would change.
  void prepare(Side side, FitTerm<T>& fit) const;
  /// All sweeps of a half-step whose product is there. Returns their flops.
  double solve(Side side, FitTerm<T>& fit);

  /// The same in parts, if it goes by blocks: rows [begin, end) as soon as their product is there.
  void begin_blocks(Side side, FitTerm<T>& fit);
  void sweep_rows(FitTerm<T>& fit, Index begin, Index end);
  double end_blocks(const FitTerm<T>& fit);

  /// Names its state between two half-steps to an Exchange (core/state_exchange.h).
  template <class Exchange>
  void exchange(Exchange& part) {
    for (const Side side : {Side::W, Side::H}) {
      const std::string name = side == Side::W ? "W." : "H.";
      Half& half = halves_[index(side)];
      part(name + "rho", half.rho);
      part(name + "usual_squared_step", half.usual_squared_step);
      part(name + "gradient_tolerance", half.gradient_tolerance);
      part(name + "inner_iterations", half.inner_iterations);
    }
    Index half_steps = rule_->half_steps();
    part("half_steps", half_steps);
    rule_->set_half_steps(half_steps);
  }

 private:
  /// What the half-steps of one side leave to the next one.
  struct Half {
    double rho = 1;                 ///< from flops; a measured one replaces it after every half
    double usual_squared_step = 0;  ///< of the first sweep of the last half-step, per row; block stop only
    double gradient_tolerance = 0;  ///< Lin's, 0 for other methods
    Index inner_iterations = 0;     ///< of the last half-step
  };

  /// A half-step whose sweeps concern one block of rows after the other.
  struct BlockHalf {
    Side side;
    HalfStep<T> problem;
    BlockStop stop;
    Index half_steps = 0;  ///< of the rule, when this one began
    BlockReport report;
    Stopwatch clock;
  };

  [[nodiscard]] static std::size_t index(Side side) { return side == Side::W ? 0 : 1; }
  [[nodiscard]] double measured_rho(Side side, const FitTerm<T>& fit, double sweep_seconds) const;
  double solve_whole(Side side, FitTerm<T>& fit);

  const Options& options_;
  const InnerStop& stop_;
  Workers workers_;
  std::unique_ptr<UpdateRule<T>> rule_;
  bool by_blocks_;
  bool exact_;
  std::array<Half, 2> halves_;
  std::unique_ptr<BlockHalf> blocks_;  ///< the half-step that is being made
};

}  // namespace anmf
