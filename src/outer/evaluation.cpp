// SPDX-License-Identifier: MIT
// The part of the outer loop that looks at what was reached: errors, gradients, and whether to go on. It runs
// with the clock stopped, but for products that the next iteration needs anyway.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <type_traits>
#include <utility>

#include "anmf/error.h"
#include "kernels/gradient.h"
#include "kernels/gram.h"
#include "outer/cost_model.h"
#include "outer/outer_loop.h"
#include "outer/stopping.h"

namespace anmf {
namespace {

// The gradient for the stopping test is evaluated when this many times its own work has been done since.
constexpr double kWorkPerGradient = 10;

// The difference that gives the squared error is off by about this multiple of ||M||^2.
template <class T>
constexpr double kFormulaRounding = std::is_same_v<T, float> ? 1e-7 : 1e-13;

// Lin's subproblem tolerance at the start, as a share of the gradient there.
constexpr double kLinTolerance = 1e-3;

}  // namespace

/// Error and gradients of the start factors. Only the first half's product is on the clock, unless both come
/// from one read: it is the one that the first iteration goes on to use.
template <class T>
void OuterLoop<T>::evaluate_start() {
  {
    const Stopwatch::Running running(clock_);
    if (pass_side()) {
      refresh_both_crosses();
    } else {
      refresh_cross(first());
    }
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
  accept_fit(fit(first()));
  record();
}

/// ||M - W H||^2 = ||M||^2 - 2 <C, X> + <G, X'X> from quantities at hand, or from the entries themselves
/// where that difference cancels. Entries that are off by d together make the square of their norm e off by
/// 2 e d; where that is more than the square itself, the fit is exact as far as one can tell.
template <class T>
typename OuterLoop<T>::Fit OuterLoop<T>::unpenalised_fit(Side last_updated) {
  FactorState<T>& s = state(last_updated);
  const double overlap = inner_product<T>(std::as_const(s.cross).view(), std::as_const(s.X).view(), workers_);
  const double squared = squared_norm_ - 2 * overlap + inner_product(s.gram, state(other(last_updated)).gram);
  if (squared < kCancellation<T> * squared_norm_) {
    const std::optional<double> direct = data_.squared_residual(
        std::as_const(state(Side::W).X).view(), std::as_const(state(Side::H).X).view(), workers_.pool);
    if (direct) {
      const double d =
          std::numeric_limits<T>::epsilon() * std::sqrt(static_cast<double>(options_.rank) * squared_norm_);
      return {.squared_error = *direct, .rounding = std::min(0.5 * *direct, std::sqrt(*direct) * d)};
    }
  }
  return {.squared_error = squared < 0 ? 0 : squared,  // keeps NaN
          .rounding = kFormulaRounding<T> * squared_norm_};
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
  Fit result = unpenalised_fit(last_updated);
  result.penalty = penalty();
  result.rounding += std::numeric_limits<T>::epsilon() * result.penalty;
  if (!std::isfinite(result.squared_error)) {
    throw NumericalError(
        fmt::format("The error is not a number at iteration {}; the factors left the range of the "
                    "number type. Use float64, or scale the start factors.",
                    trace_.size()));
  }
  return result;
}

template <class T>
void OuterLoop<T>::measure_gradient(Side side, const Matrix<T>& X) {
  Matrix<T> storage;
  state(side).squared_gradient =
      gradient_norms<T>(half_problem(side, storage), X.view(), rule_->lower_bound()).squared_projected;
}

/// The gradient costs as much as a sweep over both factors, and where the first one's product is made
/// together with its sweeps another read of M, as an iteration does.
template <class T>
bool OuterLoop<T>::gradient_is_due() const {
  if (options_.tolerance == 0 || home_) return false;
  if (rejected_ && !extrapolation_->based_on_best()) return false;
  double work = cost::pg_gradient(data_.rows() + data_.cols(), options_.rank);
  if (passes_once(first())) {
    for (const Index N_fixed : {data_.rows(), data_.cols()}) {
      work += cost::products(data_.nonzeros(), N_fixed, options_.rank);
    }
  }
  return flops_ == 0 || flops_ - flops_at_gradient_ >= kWorkPerGradient * work;
}

/// The projected gradient at the factors as they are, relative to the start. The second one's product is at
/// hand; the first one's is the product with which the next iteration begins.
template <class T>
double OuterLoop<T>::gradient_here() {
  {
    const Stopwatch::Running running(clock_);
    refresh_both_crosses();
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
  StoppingState stopping{.now = now, .restarted = rejected_ || home_, .observer_stopped = observer_stopped_};
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

template <class T>
void OuterLoop<T>::record() {
  const Fit& reported = home_ ? home_->fit : fit_;
  const double error = std::sqrt(reported.squared_error);
  const double norm = std::sqrt(squared_norm_);
  const auto iteration = static_cast<Index>(trace_.size());
  trace_.push_back({.iteration = iteration,
                    .seconds = iteration == 0 ? 0 : workers_.mean(clock_.seconds()),
                    .flops = flops_,
                    .error = error * scale_,
                    .relative_error = norm > 0 ? error / norm : 0,
                    .penalty = reported.penalty * scale_ * scale_,
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
  const Matrix<T>& a = home_            ? home_->first
                       : extrapolation_ ? extrapolation_->best_first()
                                        : state(first()).X;
  const Matrix<T>& b = home_            ? home_->second
                       : extrapolation_ ? extrapolation_->best_second()
                                        : state(second()).X;
  const auto [shown_W, shown_Ht] = first() == Side::W ? std::tie(a, b) : std::tie(b, a);
  if (scale_ == 1) {
    show(shown_W, shown_Ht);
    return;
  }
  if (!observer_->wants_factors()) {
    show({}, {});
    return;
  }
  Matrix<T> W = shown_W;
  Matrix<T> Ht = shown_Ht;
  for (Matrix<T>* X : {&W, &Ht}) {
    for (T& x : X->values()) x = static_cast<T>(static_cast<double>(x) * std::sqrt(scale_));
  }
  show(W, Ht);
}

template void OuterLoop<float>::evaluate_start();
template void OuterLoop<double>::evaluate_start();
template OuterLoop<float>::Fit OuterLoop<float>::fit(Side);
template OuterLoop<double>::Fit OuterLoop<double>::fit(Side);
template void OuterLoop<float>::record();
template void OuterLoop<double>::record();
template bool OuterLoop<float>::should_stop(Result<float>&);
template bool OuterLoop<double>::should_stop(Result<double>&);

}  // namespace anmf
