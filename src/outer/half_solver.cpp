// SPDX-License-Identifier: MIT
#include "outer/half_solver.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <utility>

#include "core/cost_model.h"
#include "core/inner_stop.h"
#include "outer/planned_rule.h"

namespace anmf {
namespace {

// After a subproblem of Lin's rule that was solved before its first iteration, its tolerance becomes a tenth.
constexpr double kLinTightening = 0.1;

}  // namespace

template <class T>
HalfSolver<T>::HalfSolver(const Options& options, const Plan& plan, const FitTerm<T>& fit,
                          const Workers& workers)
    : options_(options),
      stop_(plan.inner_stop),
      workers_(workers),
      rule_(planned_rule<T>(plan)),
      by_blocks_(sweeps_by_blocks(plan)),
      exact_(plan.method.rule.exact) {
  for (const Side side : {Side::W, Side::H}) halves_[index(side)].rho = fit.rho(side);
}

template <class T>
void HalfSolver<T>::set_gradient_tolerance(double tolerance) {
  for (Half& half : halves_) half.gradient_tolerance = tolerance;
}

/// rho of a side from the times of both products that its half-step began with.
template <class T>
double HalfSolver<T>::measured_rho(Side side, const FitTerm<T>& fit, double sweep_seconds) const {
  return workers_.mean(
      cost::measured_rho(fit.product_seconds(side), fit.gram_seconds(other(side)), sweep_seconds));
}

/// Beside a column of zeros nothing but the linear penalty is left of the objective. HALS and exact least
/// squares, which divide by the norm of that column, would leave the entries as they are.
template <class T>
void HalfSolver<T>::prepare(Side side, FitTerm<T>& fit) const {
  const Penalty& penalty = fit.penalties().of(side);
  if (penalty.l1 == 0 || penalty.l2 > 0 || rule_->lower_bound() > 0) return;
  const Matrix<double>& G = fit.gram(other(side));
  Matrix<T>& X = fit.X(side);
  for (Index p = 0; p < G.rows(); ++p) {
    if (G(p, p) > 0) continue;
    for (Index i = 0; i < X.rows(); ++i) X(i, p) = 0;
  }
}

template <class T>
double HalfSolver<T>::solve(Side side, FitTerm<T>& fit) {
  if (fit.model() == Model::own) {
    const HalfWork made = fit.made_half();
    halves_[index(side)].inner_iterations = made.sweeps;
    return made.flops;
  }
  if (!by_blocks_) return solve_whole(side, fit);
  begin_blocks(side, fit);
  sweep_rows(fit, 0, fit.X(side).rows());
  return end_blocks(fit);
}

template <class T>
double HalfSolver<T>::solve_whole(Side side, FitTerm<T>& fit) {
  Half& half = halves_[index(side)];
  Index budget = inner_budget(stop_.alpha, half.rho);
  HalfStep<T> problem = fit.half(side);
  problem.gradient_tolerance = half.gradient_tolerance;
  const bool one_sweep = exact_ || fit.model() == Model::one_sweep;
  const MatrixView<T> X = fit.X(side).view();
  double flops = 0;
  double first_squared_step = 0;
  half.inner_iterations = 0;
  rule_->begin_half(problem, X);
  while (true) {
    Stopwatch sweep_clock;
    SweepReport report;
    {
      const Stopwatch::Running running(sweep_clock);
      report = rule_->sweep(problem, X);
    }
    flops += report.flops;
    if (report.stationary) {
      // Lin's rule tightens its tolerance after a half without a step; elsewhere it was an iteration.
      if (stop_.mode != InnerStopMode::projected_gradient) ++half.inner_iterations;
      break;
    }
    if (++half.inner_iterations == 1) {
      first_squared_step = report.squared_step;
      if (options_.rho == RhoSource::measured) {
        budget = inner_budget(stop_.alpha, measured_rho(side, fit, sweep_clock.seconds()));
      }
    }
    if (one_sweep || inner_done(stop_, half.inner_iterations, budget, options_.max_inner_iterations,
                                report.squared_step, first_squared_step)) {
      break;
    }
  }
  rule_->end_half(problem, X);
  if (half.inner_iterations == 0) half.gradient_tolerance *= kLinTightening;
  return flops;
}

template <class T>
void HalfSolver<T>::begin_blocks(Side side, FitTerm<T>& fit) {
  const Half& half = halves_[index(side)];
  const bool one_sweep = fit.model() == Model::one_sweep;
  blocks_ = std::make_unique<BlockHalf>(
      BlockHalf{.side = side,
                .problem = fit.half(side),
                .stop = {.budget = one_sweep ? 1 : inner_budget(stop_.alpha, half.rho),
                         .epsilon = stop_.epsilon,
                         .usual_squared_step_per_row = half.usual_squared_step},
                .half_steps = rule_->half_steps()});
}

template <class T>
void HalfSolver<T>::sweep_rows(FitTerm<T>& fit, Index begin, Index end) {
  const Stopwatch::Running running(blocks_->clock);
  HalfStep<T> problem = blocks_->problem;
  problem.cross = problem.cross.middle_rows(begin, end);
  rule_->set_half_steps(blocks_->half_steps);  // all calls are parts of one
  rule_->sweep_blocks(problem, fit.X(blocks_->side).view().middle_rows(begin, end), blocks_->stop,
                      blocks_->report);
}

template <class T>
double HalfSolver<T>::end_blocks(const FitTerm<T>& fit) {
  Half& half = halves_[index(blocks_->side)];
  std::array sums = {blocks_->report.first_squared_step, blocks_->report.row_sweeps, blocks_->report.flops};
  workers_.sum(sums);
  const auto rows = static_cast<double>(fit.factor(blocks_->side).all_rows());
  const double sweeps = std::max(1.0, sums[1] / rows);
  half.inner_iterations = std::lround(sweeps);
  half.usual_squared_step = sums[0] / rows;
  if (options_.rho == RhoSource::measured) {
    half.rho = measured_rho(blocks_->side, fit, blocks_->clock.seconds() / sweeps);
  }
  return sums[2];
}

template class HalfSolver<float>;
template class HalfSolver<double>;

}  // namespace anmf
