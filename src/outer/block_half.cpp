// SPDX-License-Identifier: MIT
// The part of the outer loop for half-steps whose sweeps concern one block of rows after the other: every
// block stops on its own, or after one sweep. Such a half-step can be made while M (m x n) is read. For
// blocks M_b of rows of M, with H fixed,
//
//     A_b = M_b H';    sweeps over W_b with A_b and H H';    Y_b, W_b extrapolated;    C += M_b' Y_b
//
// and C = M' Y, the product that the half-step of H needs, is there after one read of M instead of two. W_b
// depends on H alone, so the iterates are those of two reads. The same with the sides exchanged.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "outer/inner_stop.h"
#include "outer/outer_loop.h"
#include "outer/planned_rule.h"

namespace anmf {

template <class T>
bool OuterLoop<T>::block_by_block() const {
  return sweeps_by_blocks(plan_);
}

template <class T>
typename OuterLoop<T>::BlockHalf OuterLoop<T>::begin_blocks(Side side) {
  const FactorState<T>& s = state(side);
  Matrix<T> gram_storage;
  const HalfStep<T> problem = half_problem(side, gram_storage);
  return {.side = side,
          .gram_storage = std::move(gram_storage),
          .problem = problem,
          .stop = {.budget = inner_budget(plan_.inner_stop.alpha, s.rho),
                   .epsilon = plan_.inner_stop.epsilon,
                   .usual_squared_step_per_row = s.usual_squared_step},
          .half_steps = rule_->half_steps()};
}

/// All sweeps over rows [begin, end), whose cross product is there.
template <class T>
void OuterLoop<T>::sweep_rows(BlockHalf& half, Index begin, Index end) {
  const Stopwatch::Running running(half.clock);
  HalfStep<T> problem = half.problem;
  problem.cross = problem.cross.middle_rows(begin, end);
  rule_->set_half_steps(half.half_steps);  // all calls are parts of one
  rule_->sweep_blocks(problem, state(half.side).X.view().middle_rows(begin, end), half.stop, half.report);
}

template <class T>
void OuterLoop<T>::end_blocks(BlockHalf& half) {
  FactorState<T>& s = state(half.side);
  std::array sums = {half.report.first_squared_step, half.report.row_sweeps, half.report.flops};
  workers_.sum(sums);
  const auto rows = static_cast<double>(s.all_rows());
  const double sweeps = std::max(1.0, sums[1] / rows);
  flops_ += sums[2];
  s.inner_iterations = std::lround(sweeps);
  s.usual_squared_step = sums[0] / rows;
  if (options_.rho == RhoSource::measured) {
    s.rho = measured_rho(half.side, half.clock.seconds() / sweeps);
  }
}

/// Whether a half-step of this side is made while M is read. The second factor is extrapolated only when the
/// whole iteration was good, and a product with it before that would be of no use.
template <class T>
bool OuterLoop<T>::passes_once(Side side) const {
  return pass_side() == side && block_by_block() && (side == first() || !plan_.method.extrapolated);
}

/// Both products in one read: that of `side` with the other factor, and the other one's with the rows of this
/// factor that `update` returns.
template <class T>
void OuterLoop<T>::pass(Side side, const BlockUpdate<T>& update) {
  FactorState<T>& s = state(side);
  FactorState<T>& partner = state(other(side));
  Stopwatch clock;
  Stopwatch update_clock;
  {
    const Stopwatch::Running running(clock);
    data_.one_pass(
        std::as_const(partner.X).view(), s.cross.view(),
        [&](Index begin, Index end) {
          const Stopwatch::Running updating(update_clock);
          return update(begin, end);
        },
        partner.cross.view(), workers_.pool);
  }
  for (FactorState<T>* x : {&s, &partner}) {
    x->cross_is_current = true;
    x->product_seconds = 0.5 * (clock.seconds() - update_clock.seconds());
  }
}

template <class T>
void OuterLoop<T>::half_step_in_one_pass(Side side) {
  Matrix<T>& X = state(side).X;
  BlockHalf half = begin_blocks(side);
  pass(side, [&](Index begin, Index end) -> ConstMatrixView<T> {
    sweep_rows(half, begin, end);
    if (extrapolation_) extrapolation_->extrapolate_first(X, begin, end, workers_.pool);
    return X.view().middle_rows(begin, end);
  });
  end_blocks(half);
}

/// Both products with the factors as they are, in one read if the data can.
template <class T>
void OuterLoop<T>::refresh_both_crosses() {
  const std::optional<Side> side = pass_side();
  if (side && !state(Side::W).cross_is_current && !state(Side::H).cross_is_current) {
    const Matrix<T>& X = state(*side).X;
    pass(*side, [&](Index begin, Index end) { return X.view().middle_rows(begin, end); });
  }
  refresh_cross(first());
  refresh_cross(second());
}

// NOLINTBEGIN(bugprone-macro-parentheses): types cannot have them.
#define ANMF_INSTANTIATE(T)                                                       \
  template bool OuterLoop<T>::block_by_block() const;                             \
  template OuterLoop<T>::BlockHalf OuterLoop<T>::begin_blocks(Side);              \
  template void OuterLoop<T>::sweep_rows(OuterLoop<T>::BlockHalf&, Index, Index); \
  template void OuterLoop<T>::end_blocks(OuterLoop<T>::BlockHalf&);               \
  template bool OuterLoop<T>::passes_once(Side) const;                            \
  template void OuterLoop<T>::half_step_in_one_pass(Side);                        \
  template void OuterLoop<T>::refresh_both_crosses()
ANMF_INSTANTIATE(float);
ANMF_INSTANTIATE(double);
#undef ANMF_INSTANTIATE
// NOLINTEND(bugprone-macro-parentheses)

}  // namespace anmf
