// SPDX-License-Identifier: MIT
#include "outer/outer_loop.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "kernels/gradient.h"
#include "kernels/gram.h"
#include "outer/cost_model.h"
#include "outer/inner_stop.h"
#include "outer/revive.h"
#include "outer/stopping.h"

namespace anmf {
namespace {

// Lin's subproblem tolerance: at first this share of the gradient at the start, then a tenth of itself
// whenever a subproblem was solved before its first iteration.
constexpr double kLinTolerance = 1e-3;
constexpr double kLinTightening = 0.1;

// Below this relative squared error the cheap formula has lost its digits to cancellation.
template <class T>
constexpr double kCancellation = std::is_same_v<T, float> ? 1e-3 : 1e-10;

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
      rule_(make_rule<T>(plan.method.rule, plan.delta)),
      squared_norm_(data.norm() * data.norm()) {
  state(Side::W).X = std::move(start.W);
  state(Side::H).X = std::move(start.Ht);
  for (const Side side : {Side::W, Side::H}) {
    FactorState<T>& s = state(side);
    s.cross = Matrix<T>(s.X.rows(), s.X.cols());
    s.penalty = plan.penalty(side);
    s.gram = gram<T>(std::as_const(s.X).view(), workers_);
    s.rho = cost::rho(data.nonzeros(), s.X.rows(), state(other(side)).X.rows(), options.rank);
  }
}

template <class T>
void OuterLoop<T>::run(Result<T>& result) {
  evaluate_start();
  const Side first = options_.first;
  while (!should_stop(result)) {
    half_step(first);
    half_step(other(first));
    record(static_cast<Index>(trace_.size()), other(first));
  }
  const IterationRecord& last = trace_.back();
  result.iterations = last.iteration;
  result.seconds = last.seconds;
  result.error = last.error;
  result.relative_error = last.relative_error;
  result.penalty = last.penalty;
  result.trace = std::move(trace_);
}

/// Error and gradients of the start factors. Only the first half's product is on the clock: it is the one
/// that the first iteration goes on to use.
template <class T>
void OuterLoop<T>::evaluate_start() {
  const Side first = options_.first;
  {
    const Stopwatch::Running running(clock_);
    refresh_cross(first);
  }
  refresh_cross(other(first));
  double squared_plain = 0;
  for (const Side side : {Side::W, Side::H}) {
    Matrix<T> storage;
    const GradientNorms norms = gradient_norms<T>(half_problem(side, storage),
                                                  std::as_const(state(side).X).view(), rule_->lower_bound());
    state(side).squared_gradient = norms.squared_projected;
    squared_plain += norms.squared;
  }
  start_gradient_ = std::sqrt(state(Side::W).squared_gradient + state(Side::H).squared_gradient);
  if (plan_.inner_stop.mode == InnerStopMode::projected_gradient) {
    const double tolerance = std::max(kLinTolerance, options_.tolerance) * std::sqrt(squared_plain);
    for (FactorState<T>& s : states_) s.gradient_tolerance = tolerance;
  }
  record(0, first);
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
  data_.cross(side, std::as_const(state(other(side)).X).view(), s.cross.view(), workers_.pool);
  s.cross_is_current = true;
}

template <class T>
void OuterLoop<T>::half_step(Side side) {
  const Stopwatch::Running running(clock_);
  FactorState<T>& s = state(side);
  FactorState<T>& partner = state(other(side));
  refresh_cross(side);
  flops_ += cost::products(data_.nonzeros(), partner.X.rows(), options_.rank);
  inner_iterations(side, running.lap());
  partner.cross_is_current = false;
  s.gram = gram<T>(std::as_const(s.X).view(), workers_);
  if (rule_->revives_zero_columns()) revive(side);
}

/// Sweeps over one factor while the products stay as they are.
template <class T>
void OuterLoop<T>::inner_iterations(Side side, double product_seconds) {
  FactorState<T>& s = state(side);
  Matrix<T> gram_storage;
  const HalfStep<T> problem = half_problem(side, gram_storage);
  Index budget = inner_budget(plan_.inner_stop.alpha, s.rho);
  double first_squared_step = 0;
  s.inner_iterations = 0;
  rule_->begin_half();
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
      if (plan_.inner_stop.mode != InnerStopMode::projected_gradient) ++s.inner_iterations;
      break;
    }
    if (++s.inner_iterations == 1) {
      first_squared_step = report.squared_step;
      if (options_.rho == RhoSource::measured) {
        budget =
            inner_budget(plan_.inner_stop.alpha, 1 + product_seconds / std::max(sweep_clock.seconds(), 1e-9));
      }
    }
    if (rule_->exact() ||
        inner_done(plan_.inner_stop, s.inner_iterations, budget, options_.max_inner_iterations,
                   report.squared_step, first_squared_step)) {
      break;
    }
  }
  if (s.inner_iterations == 0) s.gradient_tolerance *= kLinTightening;
}

template <class T>
void OuterLoop<T>::revive(Side side) {
  // A penalty may want a component gone.
  if (!plan_.penalty_W.none() || !plan_.penalty_H.none()) return;
  FactorState<T>& s = state(side);
  FactorState<T>& partner = state(other(side));
  const Revived revived = revive_zero_columns(s, partner);
  if (revived.any) s.gram = gram<T>(std::as_const(s.X).view(), workers_);
  if (revived.pair) {
    partner.gram = gram<T>(std::as_const(partner.X).view(), workers_);
    s.cross_is_current = false;
    refresh_cross(side);
  }
}

/// ||M - W H||^2 = ||M||^2 - 2 <C, X> + <G, X'X> from quantities at hand, or from the entries themselves
/// where that difference cancels.
template <class T>
double OuterLoop<T>::squared_error(Side last_updated) {
  FactorState<T>& s = state(last_updated);
  const double overlap = inner_product<T>(std::as_const(s.cross).view(), std::as_const(s.X).view(), workers_);
  const double squared = squared_norm_ - 2 * overlap + inner_product(s.gram, state(other(last_updated)).gram);
  if (squared < kCancellation<T> * squared_norm_) {
    const std::optional<double> direct = data_.squared_residual(
        std::as_const(state(Side::W).X).view(), std::as_const(state(Side::H).X).view(), workers_.pool);
    if (direct) return *direct;
  }
  return squared < 0 ? 0 : squared;  // keeps NaN
}

template <class T>
double OuterLoop<T>::penalty() {
  double sum = 0;
  for (FactorState<T>& s : states_) {
    if (s.penalty.l1 > 0) sum += s.penalty.l1 * sum_of_entries<T>(std::as_const(s.X).view(), workers_);
    for (Index p = 0; p < s.gram.rows(); ++p) sum += 0.5 * s.penalty.l2 * s.gram(p, p);
  }
  return sum;
}

template <class T>
void OuterLoop<T>::record(Index iteration, Side last_updated) {
  const double error = std::sqrt(squared_error(last_updated));
  const double norm = std::sqrt(squared_norm_);
  if (!std::isfinite(error)) {
    throw NumericalError(
        fmt::format("The error is not a number at iteration {}; the factors left the range of the "
                    "number type. Use float64, or scale the start factors.",
                    iteration));
  }
  trace_.push_back({.iteration = iteration,
                    .seconds = iteration == 0 ? 0 : clock_.seconds(),
                    .flops = flops_,
                    .error = error * scale_,
                    .relative_error = norm > 0 ? error / norm : 0,
                    .penalty = penalty() * scale_ * scale_,
                    .inner_w = state(Side::W).inner_iterations,
                    .inner_h = state(Side::H).inner_iterations});
  notify(trace_.back());
}

template <class T>
void OuterLoop<T>::notify(const IterationRecord& record) {
  if (observer_ == nullptr) return;
  const auto show = [&](const Matrix<T>& W, const Matrix<T>& Ht) {
    observer_stopped_ = observer_->on_iteration(record, W.view(), Ht.view()) == Observer<T>::Action::stop;
  };
  if (scale_ == 1) {
    show(state(Side::W).X, state(Side::H).X);
    return;
  }
  Matrix<T> W = state(Side::W).X;
  Matrix<T> Ht = state(Side::H).X;
  for (Matrix<T>* X : {&W, &Ht}) {
    for (T& x : X->values()) x = static_cast<T>(static_cast<double>(x) * std::sqrt(scale_));
  }
  show(W, Ht);
}

template <class T>
void OuterLoop<T>::measure_gradient(Side side) {
  Matrix<T> storage;
  state(side).squared_gradient = gradient_norms<T>(half_problem(side, storage),
                                                   std::as_const(state(side).X).view(), rule_->lower_bound())
                                     .squared_projected;
}

/// The projected gradient at the current pair relative to the start. The second factor's product is at
/// hand; the first one's is the product with which the next iteration begins.
template <class T>
double OuterLoop<T>::relative_gradient() {
  if (start_gradient_ == 0) return 0;
  const Side first = options_.first;
  if (trace_.size() > 1) {
    {
      const Stopwatch::Running running(clock_);
      refresh_cross(first);
    }
    measure_gradient(first);
    measure_gradient(other(first));
  }
  return std::sqrt(state(Side::W).squared_gradient + state(Side::H).squared_gradient) / start_gradient_;
}

template <class T>
bool OuterLoop<T>::should_stop(Result<T>& result) {
  const IterationRecord& now = trace_.back();
  StoppingState stopping{.now = now, .observer_stopped = observer_stopped_};
  if (trace_.size() > 1) stopping.before = trace_[trace_.size() - 2];
  if (options_.tolerance > 0) stopping.kkt = relative_gradient();
  const std::optional<Stop> stop = check_stop(options_, stopping);
  if (!stop) return false;
  result.kkt = stopping.kkt ? *stopping.kkt : relative_gradient();
  result.status = stop->status;
  result.message = stop->message;
  return true;
}

template class OuterLoop<float>;
template class OuterLoop<double>;

}  // namespace anmf
