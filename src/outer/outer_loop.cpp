// SPDX-License-Identifier: MIT
#include "outer/outer_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "data/compressed_data.h"
#include "kernels/gradient.h"
#include "kernels/gram.h"
#include "outer/cost_model.h"
#include "outer/inner_stop.h"
#include "outer/revive.h"
#include "outer/slow_decrease.h"
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

// Differences of the squared error below this multiple of ||M||^2 are rounding.
template <class T>
constexpr double kRounding = std::is_same_v<T, float> ? 1e-7 : 1e-13;

// The gradient for the stopping test is evaluated when this many times its own work has been done since.
constexpr double kWorkPerGradient = 10;

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
  if (plan_.compressed_rank > 0) start_on_compression(result);
  if (plan_.method.extrapolated) {
    extrapolation_.emplace(state(first()).X, state(second()).X, plan_.method.rule == RuleKind::mu);
  }
  while (!should_stop(result)) {
    half_step(first());
    half_step(second());
    conclude_iteration();
    record();
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
  {
    const Stopwatch::Running running(clock_);
    refresh_cross(first());
  }
  refresh_cross(second());
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
  fit_ = fit(first());
  record();
}

/// Iterates on a compression of M, where products are cheap, until that gains little. The first iteration
/// of the trace is all of that, seen from M.
template <class T>
void OuterLoop<T>::start_on_compression(Result<T>& result) {
  if (squared_norm_ == 0 || options_.max_iterations == 0) return;
  {
    const Stopwatch::Running running(clock_);
    for (FactorState<T>& s : states_) s.cross = Matrix<T>();  // the other loop needs the room
    const std::unique_ptr<CompressedData<T>> stand_in =
        compress<T>(data_, {.width = plan_.compressed_rank, .seed = options_.seed}, workers_.pool);
    SlowDecrease<T> observer(std::max(0.0, squared_norm_ - stand_in->norm() * stand_in->norm()));
    const Options options{.rank = options_.rank,
                          .rho = options_.rho,
                          .time_limit = options_.time_limit - running.lap(),
                          .tolerance = 0,
                          .first = options_.first};
    Plan plan = plan_;
    plan.compressed_rank = 0;
    OuterLoop<T> loop(*stand_in, options, plan, take_factors(), 1, workers_, &observer);
    Result<T> outcome;
    loop.run(outcome);
    flops_ += stand_in->flops() + loop.flops_;
    result.effective.compressed_rank = stand_in->L().cols();
    result.effective.compressed_iterations = outcome.iterations;

    Factors<T> factors = loop.take_factors();
    state(Side::W).X = std::move(factors.W);
    state(Side::H).X = std::move(factors.Ht);
    for (const Side side : {Side::W, Side::H}) {
      FactorState<T>& s = state(side);
      s.cross = Matrix<T>(s.X.rows(), s.X.cols());
      s.cross_is_current = false;
      refresh_gram(side);
    }
    refresh_cross(first());
  }
  fit_ = fit(first());
  record();
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
void OuterLoop<T>::refresh_gram(Side side) {
  state(side).gram = gram<T>(std::as_const(state(side).X).view(), workers_);
}

template <class T>
void OuterLoop<T>::half_step(Side side) {
  const Stopwatch::Running running(clock_);
  FactorState<T>& s = state(side);
  FactorState<T>& partner = state(other(side));
  refresh_cross(side);
  flops_ += cost::products(data_.nonzeros(), partner.X.rows(), options_.rank);
  inner_iterations(side, running.lap());
  if (extrapolation_ && side == first()) extrapolation_->extrapolate_first(s.X, workers_.pool);
  partner.cross_is_current = false;
  refresh_gram(side);
  if (rule_->revives_zero_columns() && revive(side) && extrapolation_) {
    extrapolation_->forget_step();
  }
}

/// Sweeps over one factor while the products stay as they are.
template <class T>
void OuterLoop<T>::inner_iterations(Side side, double product_seconds) {
  FactorState<T>& s = state(side);
  const InnerStopMode mode = plan_.inner_stop.mode;
  Index budget = inner_budget(plan_.inner_stop.alpha, s.rho);
  const bool single_sweep =
      plan_.inner_stop.alpha == 0 && (mode == InnerStopMode::fixed || mode == InnerStopMode::hybrid);
  if (mode == InnerStopMode::block || (single_sweep && rule_->row_local())) {
    sweep_blocks(side, budget, product_seconds);
    return;
  }
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
  rule_->end_half(problem, s.X.view());
  if (s.inner_iterations == 0) s.gradient_tolerance *= kLinTightening;
}

/// The same where every block of rows stops on its own, or after one sweep.
template <class T>
void OuterLoop<T>::sweep_blocks(Side side, Index budget, double product_seconds) {
  FactorState<T>& s = state(side);
  Matrix<T> gram_storage;
  const HalfStep<T> problem = half_problem(side, gram_storage);
  Stopwatch sweep_clock;
  BlockReport report;
  {
    const Stopwatch::Running running(sweep_clock);
    report = rule_->sweep_blocks(problem, s.X.view(),
                                 {.budget = budget,
                                  .epsilon = plan_.inner_stop.epsilon,
                                  .usual_squared_step_per_row = s.usual_squared_step});
  }
  const auto rows = static_cast<double>(s.X.rows());
  const double sweeps = std::max(1.0, report.row_sweeps / rows);
  flops_ += report.flops;
  s.inner_iterations = std::lround(sweeps);
  s.usual_squared_step = report.first_squared_step / rows;
  if (options_.rho == RhoSource::measured) {
    s.rho = 1 + product_seconds * sweeps / std::max(sweep_clock.seconds(), 1e-9);
  }
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
typename OuterLoop<T>::Fit OuterLoop<T>::fit(Side last_updated) {
  const Fit result{.squared_error = squared_error(last_updated), .penalty = penalty()};
  if (!std::isfinite(result.squared_error)) {
    throw NumericalError(
        fmt::format("The error is not a number at iteration {}; the factors left the range of the "
                    "number type. Use float64, or scale the start factors.",
                    trace_.size()));
  }
  return result;
}

template <class T>
bool OuterLoop<T>::improves(const Fit& candidate) const {
  return candidate.objective() <= fit_.objective() + kRounding<T> * squared_norm_;
}

/// Evaluates the new pair. Without extrapolation it is the next iterate, whatever its error.
template <class T>
void OuterLoop<T>::conclude_iteration() {
  const Fit candidate = fit(second());
  FactorState<T>& a = state(first());
  FactorState<T>& b = state(second());
  if (!extrapolation_) {
    fit_ = candidate;
    return;
  }
  const Stopwatch::Running running(clock_);
  rejected_ = !improves(candidate);
  if (rejected_) {
    extrapolation_->reject(a.X, b.X);
    b.cross_is_current = false;
  } else {
    fit_ = candidate;
    extrapolation_->accept(a.X, b.X, workers_.pool);
  }
  a.cross_is_current = false;
  refresh_gram(second());
}

/// Puts the pair to be returned in the place of the extrapolated one.
template <class T>
void OuterLoop<T>::settle() {
  if (!extrapolation_) return;
  FactorState<T>& a = state(first());
  FactorState<T>& b = state(second());
  if (rejected_) {
    a.X = extrapolation_->best_first();
    b.cross_is_current = false;
    refresh_gram(first());
    rejected_ = false;
  }
  b.X = extrapolation_->best_second();
  a.cross_is_current = false;
  refresh_gram(second());
}

template <class T>
void OuterLoop<T>::record() {
  const double error = std::sqrt(fit_.squared_error);
  const double norm = std::sqrt(squared_norm_);
  const auto iteration = static_cast<Index>(trace_.size());
  trace_.push_back({.iteration = iteration,
                    .seconds = iteration == 0 ? 0 : clock_.seconds(),
                    .flops = flops_,
                    .error = error * scale_,
                    .relative_error = norm > 0 ? error / norm : 0,
                    .penalty = fit_.penalty * scale_ * scale_,
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
  const Matrix<T>& a = extrapolation_ ? extrapolation_->best_first() : state(first()).X;
  const Matrix<T>& b = extrapolation_ ? extrapolation_->best_second() : state(second()).X;
  const auto [shown_W, shown_Ht] = first() == Side::W ? std::tie(a, b) : std::tie(b, a);
  if (scale_ == 1) {
    show(shown_W, shown_Ht);
    return;
  }
  Matrix<T> W = shown_W;
  Matrix<T> Ht = shown_Ht;
  for (Matrix<T>* X : {&W, &Ht}) {
    for (T& x : X->values()) x = static_cast<T>(static_cast<double>(x) * std::sqrt(scale_));
  }
  show(W, Ht);
}

template <class T>
void OuterLoop<T>::measure_gradient(Side side, const Matrix<T>& X) {
  Matrix<T> storage;
  state(side).squared_gradient =
      gradient_norms<T>(half_problem(side, storage), X.view(), rule_->lower_bound()).squared_projected;
}

/// The gradient costs as much as a sweep over both factors.
template <class T>
bool OuterLoop<T>::gradient_is_due() const {
  if (options_.tolerance == 0 || rejected_) return false;
  const double work = cost::pg_gradient(data_.rows() + data_.cols(), options_.rank);
  return flops_ == 0 || flops_ - flops_at_gradient_ >= kWorkPerGradient * work;
}

/// The projected gradient at the factors as they are, relative to the start. The second one's product is at
/// hand; the first one's is the product with which the next iteration begins.
template <class T>
double OuterLoop<T>::gradient_here() {
  {
    const Stopwatch::Running running(clock_);
    refresh_cross(first());
    refresh_cross(second());
  }
  measure_gradient(first(), state(first()).X);
  measure_gradient(second(), extrapolation_ ? extrapolation_->best_second() : state(second()).X);
  return std::sqrt(state(Side::W).squared_gradient + state(Side::H).squared_gradient) / start_gradient_;
}

/// The same at the pair to be returned. With extrapolation the gradient at hand is only near it: as long as
/// that one is above the tolerance it is good enough, then the pair itself is looked at.
template <class T>
double OuterLoop<T>::relative_gradient() {
  if (start_gradient_ == 0) return 0;
  flops_at_gradient_ = flops_;
  if (trace_.size() == 1) return 1;
  double gradient = gradient_here();
  if (!extrapolation_ || gradient > confirmation_ * options_.tolerance) return gradient;
  settle();
  gradient = gradient_here();
  if (gradient > options_.tolerance) confirmation_ *= 0.5;
  return gradient;
}

template <class T>
bool OuterLoop<T>::should_stop(Result<T>& result) {
  const IterationRecord& now = trace_.back();
  StoppingState stopping{.now = now, .restarted = rejected_, .observer_stopped = observer_stopped_};
  if (trace_.size() > 1) stopping.before = trace_[trace_.size() - 2];
  if (gradient_is_due()) stopping.kkt = relative_gradient();
  const std::optional<Stop> stop = check_stop(options_, stopping);
  if (!stop) return false;
  settle();
  result.kkt = start_gradient_ == 0 ? 0 : trace_.size() == 1 ? 1 : gradient_here();
  result.status = stop->status;
  result.message = stop->message;
  return true;
}

template class OuterLoop<float>;
template class OuterLoop<double>;

}  // namespace anmf
