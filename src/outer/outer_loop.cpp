// SPDX-License-Identifier: MIT
#include "outer/outer_loop.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "kernels/gram.h"
#include "outer/cost_model.h"
#include "outer/inner_stop.h"
#include "outer/planned_rule.h"
#include "outer/revive.h"

namespace anmf {
namespace {

// After a subproblem of Lin's rule that was solved before its first iteration, its tolerance becomes a tenth.
constexpr double kLinTightening = 0.1;

}  // namespace

template <class T>
OuterLoop<T>::OuterLoop(const Data<T>& data, const Options& options, const Plan& plan, Factors<T> start,
                        double scale, const Workers& workers, Observer<T>* observer)
    : data_(data),
      options_(options),
      plan_(plan),
      scale_(scale),
      workers_(workers),
      observer_(observer),
      rule_(planned_rule<T>(plan)),
      squared_norm_(data.norm() * data.norm()) {
  state(Side::W).X = std::move(start.W);
  state(Side::H).X = std::move(start.Ht);
  for (const Side side : {Side::W, Side::H}) {
    FactorState<T>& s = state(side);
    const Index all_rows = side == Side::W ? data.rows() : data.cols();
    s.first_row = data.owned(side).begin;
    s.rows_elsewhere = all_rows - s.X.rows();
    s.cross = Matrix<T>(s.X.rows(), s.X.cols());
    s.penalty = plan.penalty(side);
    refresh_gram(side);
    s.rho = cost::rho(data.nonzeros(), all_rows, data.rows() + data.cols() - all_rows, options.rank);
  }
}

template <class T>
void OuterLoop<T>::run(Result<T>& result) {
  evaluate_start();
  if (plan_.compressed_rank > 0) start_on_compression(result);
  prepare();
  iterate(result);
}

/// What the plan asks for beyond plain alternation.
template <class T>
void OuterLoop<T>::prepare() {
  if (plan_.method.extrapolated) {
    extrapolation_.emplace(state(first()).X, state(second()).X, plan_.method.rule.only_grows);
  }
  if (plan_.explore) exploration_.emplace();
}

template <class T>
void OuterLoop<T>::iterate(Result<T>& result) {
  while (true) {
    offer_checkpoint(result);  // before the stopping test, which may touch the state
    if (should_stop(result)) break;
    half_step(first());
    half_step(second());
    conclude_iteration();
    explore();
    record();
  }
  if (exploration_) {
    result.effective.explorations = exploration_->attempts();
    result.effective.lower_minima = exploration_->successes();
  }
  const IterationRecord& last = trace_.back();
  result.iterations = last.iteration;
  result.seconds = last.seconds;
  result.error = last.error;
  result.relative_error = last.relative_error;
  result.penalty = last.penalty;
  result.trace = std::move(trace_);
}

/// The quadratic problem of one side; `gram_storage` holds the other factor's Gram matrix as T.
template <class T>
HalfStep<T> OuterLoop<T>::half_problem(Side side, Matrix<T>& gram_storage) {
  const FactorState<T>& s = state(side);
  const Matrix<double>& G = state(other(side)).gram;
  gram_storage = Matrix<T>(G.rows(), G.cols());
  for (Index p = 0; p < G.rows(); ++p) {
    for (Index q = 0; q < G.cols(); ++q) {
      gram_storage(p, q) = static_cast<T>(G(p, q) + (p == q ? s.penalty.l2 : 0.0));
    }
  }
  return {.gram = std::as_const(gram_storage).view(),
          .cross = s.cross.view(),
          .l1 = static_cast<T>(s.penalty.l1),
          .gradient_tolerance = s.gradient_tolerance,
          .workers = workers_};
}

template <class T>
void OuterLoop<T>::refresh_cross(Side side) {
  FactorState<T>& s = state(side);
  if (s.cross_is_current) return;
  Stopwatch clock;
  {
    const Stopwatch::Running running(clock);
    data_.cross(side, std::as_const(state(other(side)).X).view(), s.cross.view(), workers_.pool);
  }
  s.cross_is_current = true;
  s.product_seconds = clock.seconds();
}

template <class T>
void OuterLoop<T>::refresh_gram(Side side) {
  FactorState<T>& s = state(side);
  Stopwatch clock;
  {
    const Stopwatch::Running running(clock);
    s.gram = gram<T>(std::as_const(s.X).view(), workers_);
  }
  s.gram_seconds = clock.seconds();
}

/// rho of a side from the times of both products that its half-step began with.
template <class T>
double OuterLoop<T>::measured_rho(Side side, double sweep_seconds) {
  return workers_.mean(
      cost::measured_rho(state(side).product_seconds, state(other(side)).gram_seconds, sweep_seconds));
}

template <class T>
void OuterLoop<T>::half_step(Side side) {
  const Stopwatch::Running running(clock_);
  FactorState<T>& s = state(side);
  FactorState<T>& partner = state(other(side));
  flops_ += cost::products(data_.nonzeros(), partner.all_rows(), options_.rank);
  drop_useless_columns(side);
  if (passes_once(side) && !s.cross_is_current) {
    half_step_in_one_pass(side);
  } else {
    refresh_cross(side);
    inner_iterations(side);
    if (extrapolation_ && side == first()) {
      extrapolation_->extrapolate_first(s.X, 0, s.X.rows(), workers_.pool);
    }
    partner.cross_is_current = false;
  }
  refresh_gram(side);
  if (options_.revive && plan_.method.rule.revives && revive(side)) {
    partner.cross_is_current = false;
    if (extrapolation_) extrapolation_->forget_step();
  }
}

/// Beside a column of zeros nothing but the linear penalty is left of the objective. HALS and exact least
/// squares, which divide by the norm of that column, would leave the entries as they are.
template <class T>
void OuterLoop<T>::drop_useless_columns(Side side) {
  FactorState<T>& s = state(side);
  if (s.penalty.l1 == 0 || s.penalty.l2 > 0 || rule_->lower_bound() > 0) return;
  const Matrix<double>& G = state(other(side)).gram;
  for (Index p = 0; p < G.rows(); ++p) {
    if (G(p, p) > 0) continue;
    for (Index i = 0; i < s.X.rows(); ++i) s.X(i, p) = 0;
  }
}

/// Sweeps over one factor while the products stay as they are.
template <class T>
void OuterLoop<T>::inner_iterations(Side side) {
  FactorState<T>& s = state(side);
  if (block_by_block()) {
    BlockHalf half = begin_blocks(side);
    sweep_rows(half, 0, s.X.rows());
    end_blocks(half);
    return;
  }
  const InnerStopMode mode = plan_.inner_stop.mode;
  Index budget = inner_budget(plan_.inner_stop.alpha, s.rho);
  Matrix<T> gram_storage;
  const HalfStep<T> problem = half_problem(side, gram_storage);
  double first_squared_step = 0;
  s.inner_iterations = 0;
  rule_->begin_half(problem, s.X.view());
  while (true) {
    Stopwatch sweep_clock;
    SweepReport report;
    {
      const Stopwatch::Running running(sweep_clock);
      report = rule_->sweep(problem, s.X.view());
    }
    flops_ += report.flops;
    if (report.stationary) {
      // Lin's rule tightens its tolerance after a half without a step; elsewhere it was an iteration.
      if (mode != InnerStopMode::projected_gradient) ++s.inner_iterations;
      break;
    }
    if (++s.inner_iterations == 1) {
      first_squared_step = report.squared_step;
      if (options_.rho == RhoSource::measured) {
        budget = inner_budget(plan_.inner_stop.alpha, measured_rho(side, sweep_clock.seconds()));
      }
    }
    if (plan_.method.rule.exact ||
        inner_done(plan_.inner_stop, s.inner_iterations, budget, options_.max_inner_iterations,
                   report.squared_step, first_squared_step)) {
      break;
    }
  }
  rule_->end_half(problem, s.X.view());
  if (s.inner_iterations == 0) s.gradient_tolerance *= kLinTightening;
}

/// True if a component was replaced.
template <class T>
bool OuterLoop<T>::revive(Side side) {
  // A penalty may want a component gone.
  if (!plan_.penalty_W.none() || !plan_.penalty_H.none()) return false;
  const Revived revived = revive_zero_columns(state(side), state(other(side)));
  if (revived.any) refresh_gram(side);
  if (revived.pair) {
    refresh_gram(other(side));
    state(side).cross_is_current = false;
    refresh_cross(side);
  }
  return revived.any;
}

template class OuterLoop<float>;
template class OuterLoop<double>;

}  // namespace anmf
