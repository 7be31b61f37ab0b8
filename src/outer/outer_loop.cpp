// SPDX-License-Identifier: MIT
#include "outer/outer_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "anmf/error.h"
#include "core/cost_model.h"
#include "kernels/gradient.h"
#include "loss/supply.h"
#include "outer/planned_fit.h"
#include "outer/planned_rule.h"
#include "outer/slow_decrease.h"

namespace anmf {
namespace {

// Lin's subproblem tolerance at the start, as a share of the gradient there.
constexpr double kLinTolerance = 1e-3;

/// A look at the gradients costs as much as a sweep over both factors, and where the first one's product is
/// made together with its sweeps another read of M, as an iteration does.
template <class T>
double look_work(const Data<T>& data, const Options& options, const Plan& plan, const FitTerm<T>& fit,
                 const ThreadPool& pool) {
  if (fit.look_flops() > 0) return fit.look_flops();
  const double sweep = cost::pg_gradient(data.rows() + data.cols(), options.rank);
  const bool reads =
      passes_once(plan, options.first, options.first) && data.pass_side(options.rank, pool) == options.first;
  return reads ? sweep + fit.half_flops(Side::W) + fit.half_flops(Side::H) : sweep;
}

/// What was wanted is there; it was made on the clock.
template <class T>
void take(const Wanted<T>& wanted, FitTerm<T>& fit, Stopwatch& clock) {
  clock.add(wanted.seconds);
  const Stopwatch::Running running(clock);
  fit.supplied(wanted);
}

template <class T>
Value evaluate(FitTerm<T>& fit, Side last_updated, std::size_t iteration) {
  const Value value = fit.value(last_updated);
  if (!std::isfinite(value.loss)) {
    throw NumericalError(
        fmt::format("The error is not a number at iteration {}; the factors left the range of the "
                    "number type. Use float64, or scale the start factors.",
                    iteration));
  }
  return value;
}

}  // namespace

template <class T>
OuterLoop<T>::OuterLoop(const Data<T>& data, const Options& options, const Plan& plan, Factors<T> start,
                        double scale, const Workers& workers, Observer<T>* observer,
                        const HeldOut<T>* held_out)
    : data_(data),
      options_(options),
      plan_(plan),
      workers_(workers),
      first_(options.first),
      second_(other(options.first)),
      fit_(planned_fit(data, std::move(start), options, plan, workers)),
      solver_(options, plan, *fit_, workers),
      course_(options, plan, solver_.rule().lower_bound(), workers),
      convergence_(options, look_work(data, options, plan, *fit_, workers.pool)),
      recorder_(scale, observer, workers, held_out) {}

template <class T>
Steps<Wanted<T>> OuterLoop<T>::run() {
  if (recorder_.trace().empty()) co_yield begin();
  while (true) {
    offer_checkpoint();
    co_yield test_for_stop();
    if (stop_) co_return;
    co_yield half_step(first_);
    co_yield half_step(second_);
    co_yield conclude_iteration();
    co_yield record();
  }
}

/// Value and gradients of the start factors.
template <class T>
Steps<Wanted<T>> OuterLoop<T>::begin() {
  Wanted<T> wanted = fit_->wants_for_gradients({});
  co_yield wanted;
  fit_->supplied(wanted);
  // The first iteration goes on to use one of the products, or both if they come from one read.
  recorder_.clock.add(wanted.read_once ? wanted.seconds : fit_->product_seconds(first_));
  std::array<GradientNorms, 2> norms;
  for (const Side side : {Side::W, Side::H}) {
    norms[side == Side::W ? 0 : 1] = fit_->norms_of_gradient(side, solver_.rule().lower_bound());
  }
  convergence_.begin(norms[0].squared_projected + norms[1].squared_projected);
  if (plan_.inner_stop.mode == InnerStopMode::projected_gradient) {
    const double tolerance = options_.stop_rule == StopRule::gradient ? options_.tolerance : 0;
    solver_.set_gradient_tolerance(std::max(kLinTolerance, tolerance) *
                                   std::sqrt(norms[0].squared + norms[1].squared));
  }
  Wanted<T> for_value = fit_->wants_for_value(first_);
  co_yield for_value;
  fit_->supplied(for_value);
  course_.accept(evaluate(*fit_, first_, recorder_.trace().size()));
  co_yield record();
  if (begins_on_compression() && options_.max_iterations > 0) {
    offer_checkpoint();  // from which the run begins anew
    if (!recorder_.stopped_by_observer()) co_yield begin_on_compression();
  }
  course_.begin(*fit_);
}

/// Iterates on a compression of M, where products are cheap, until that gains little. The first iteration
/// of the trace is all of that, seen from M.
template <class T>
Steps<Wanted<T>> OuterLoop<T>::begin_on_compression() {
  Wanted<T> wanted{.compression = Compression{.width = plan_.compressed_rank,
                                              .seed = options_.seed,
                                              .give_up = [this] { return recorder_.ends_on_compression(); }}};
  Factors<T> factors = fit_->take_factors();
  fit_.reset();  // the compression needs the room
  co_yield wanted;
  recorder_.clock.add(wanted.seconds);
  if (wanted.stand_in == nullptr) {  // the observer ended it: the start is the result
    compression_cut_ = true;
    fit_ = make_fit(data_, std::move(factors), plan_.penalties, workers_);
    co_return;
  }
  {
    const Stopwatch::Running running(recorder_.clock);
    factors =
        iterate_on(*wanted.stand_in, std::move(factors), options_.time_limit - workers_.mean(wanted.seconds));
    wanted.stand_in.reset();
    fit_ = planned_fit(data_, std::move(factors), options_, plan_, workers_);
  }
  Wanted<T> product = fit_->wants_for_value(first_);
  co_yield product;
  take(product, *fit_, recorder_.clock);
  course_.accept(evaluate(*fit_, first_, recorder_.trace().size()));
  co_yield record();
}

/// The factors after iterations on a compression of M.
template <class T>
Factors<T> OuterLoop<T>::iterate_on(const CompressedData<T>& stand_in, Factors<T> start, double time_limit) {
  const double squared_norm = data_.norm() * data_.norm();
  SlowDecrease<T> observer(std::max(0.0, squared_norm - stand_in.norm() * stand_in.norm()),
                           recorder_.observer());
  const Options options{.rank = options_.rank,
                        .rho = options_.rho,
                        .time_limit = time_limit,
                        .tolerance = 0,
                        .first = options_.first};
  Plan plan = plan_;
  plan.compressed_rank = 0;
  plan.explore = false;
  OuterLoop<T> loop(stand_in, options, plan, std::move(start), 1, workers_, &observer);
  for (Steps<Wanted<T>> steps = loop.run(); Wanted<T>* wanted = steps.next();) {
    supply(*wanted, stand_in, workers_);
  }
  recorder_.flops += stand_in.flops() + loop.recorder_.flops;
  std::array<double, 1> cut = {observer.ended_by_caller() ? 1.0 : 0.0};
  workers_.sum(cut);  // whoever was asked to stop: all save or none
  compression_cut_ = cut[0] > 0;
  compressed_rank_ = stand_in.L().cols();
  compressed_iterations_ = loop.recorder_.trace().back().iteration;
  return loop.take_factors();
}

template <class T>
Steps<Wanted<T>> OuterLoop<T>::half_step(Side side) {
  recorder_.flops += fit_->half_flops(side);
  solver_.prepare(side, *fit_);
  BlockUpdate<T> update;
  if (passes_once(plan_, side, first_)) {
    update = [this, side](Index begin, Index end) -> ConstMatrixView<T> {
      solver_.sweep_rows(*fit_, begin, end);
      if (side == first_) course_.after_first_half(*fit_, begin, end);
      return fit_->X(side).view().middle_rows(begin, end);
    };
  }
  Wanted<T> wanted = fit_->wants_for_half(side, std::move(update));
  if (wanted.half) solver_.begin_blocks(side, *fit_);
  co_yield wanted;
  take(wanted, *fit_, recorder_.clock);
  const Stopwatch::Running running(recorder_.clock);
  if (wanted.half_is_made()) {
    recorder_.flops += solver_.end_blocks(*fit_);
  } else {
    recorder_.flops += solver_.solve(side, *fit_);
    if (side == first_) course_.after_first_half(*fit_, 0, fit_->X(side).rows());
    fit_->moved(side);
  }
  if (options_.revive && plan_.method.rule.revives && fit_->revive(side)) {
    course_.component_was_revived();
  }
}

/// Evaluates the new pair, and decides where to go from there.
template <class T>
Steps<Wanted<T>> OuterLoop<T>::conclude_iteration() {
  Wanted<T> wanted = fit_->wants_for_value(second_);
  co_yield wanted;
  take(wanted, *fit_, recorder_.clock);
  const Value candidate = evaluate(*fit_, second_, recorder_.trace().size());
  bool set_out = false;
  {
    const Stopwatch::Running running(recorder_.clock);
    course_.conclude(candidate, *fit_);
    set_out = course_.explore(*fit_);
  }
  if (!set_out) co_return;
  Wanted<T> product = fit_->wants_for_value(first_);
  co_yield product;
  take(product, *fit_, recorder_.clock);
  course_.accept(evaluate(*fit_, first_, recorder_.trace().size()));
}

/// Adds the pair that would be returned now to the trace, with a look at its convergence if one is due. With
/// extrapolation what is measured is only near that pair: as long as it is above the tolerance it is good
/// enough, then the pair itself is looked at.
template <class T>
Steps<Wanted<T>> OuterLoop<T>::record() {
  recorder_.record(course_, *fit_, solver_);
  if (recorder_.trace().size() == 2) recorder_.stands_for(compressed_iterations_);
  if (course_.near_best() && convergence_.due(recorder_.flops)) {
    convergence_.looked(recorder_.flops);
    co_yield measure();
    if (course_.extrapolated() && convergence_.worth_confirming(recorder_.trace().back())) {
      course_.settle(*fit_);
      co_yield measure();
      convergence_.confirmed(recorder_.trace().back());
    }
  }
  recorder_.show(course_, *fit_);
}

/// Writes into the last record how far the factors as they are are from optimal. The second one's product is
/// at hand; the first one's is the product with which the next iteration begins.
template <class T>
Steps<Wanted<T>> OuterLoop<T>::measure() {
  const ConstMatrixView<T> best_second = course_.best(second_, *fit_).view();
  std::array<ConstMatrixView<T>, 2> at;
  at[second_ == Side::W ? 0 : 1] = best_second;
  Wanted<T> wanted = fit_->wants_for_gradients(at);
  co_yield wanted;
  take(wanted, *fit_, recorder_.clock);
  const double bound = solver_.rule().lower_bound();
  const Optimality first = fit_->optimality(first_, fit_->factor(first_).X.view(), bound);
  const Optimality second = fit_->optimality(second_, best_second, bound);
  const Optimality both{
      .squared_projected_gradient = first.squared_projected_gradient + second.squared_projected_gradient,
      .promised_decrease = first.promised_decrease + second.promised_decrease};
  recorder_.measured(
      convergence_.kkt(both),
      relative_decrease(both.promised_decrease, course_.value().objective(), fit_->reference()));
}

/// Sets stop_ if the run ends here.
template <class T>
Steps<Wanted<T>> OuterLoop<T>::test_for_stop() {
  const std::vector<IterationRecord>& trace = recorder_.trace();
  StoppingState state{.now = trace.back(),
                      .restarted = course_.restarted(),
                      .observer_stopped = recorder_.stopped_by_observer()};
  if (trace.size() > 1) state.before = trace[trace.size() - 2];
  stop_ = check_stop(options_, state);
  if (!stop_) co_return;
  if (trace.size() > 1) course_.settle(*fit_);  // the start is there as it is, with its products
  co_yield measure();
}

template <class T>
Result<T> OuterLoop<T>::result() {
  Result<T> result;
  if (stop_) {
    result.status = stop_->status;
    result.message = stop_->message;
  }
  result.effective = {.beta = plan_.beta,
                      .method = plan_.method.name,
                      .inner_stop = plan_.inner_stop,
                      .delta = plan_.delta,
                      .alpha_H = plan_.alpha_H,
                      .threads = workers_.pool.threads(),
                      .compressed_rank = compressed_rank_,
                      .compressed_iterations = compressed_iterations_};
  if (const auto& exploration = course_.exploration()) {
    result.effective.explorations = exploration->attempts();
    result.effective.lower_minima = exploration->successes();
  }
  if (recorder_.observer() != nullptr && !recorder_.observer()->wants_heldout())
    recorder_.judge(course_, *fit_);
  result.trace = recorder_.take_trace();
  const IterationRecord& last = result.trace.back();
  result.iterations = last.iteration;
  result.seconds = last.seconds;
  result.error = last.error;
  result.relative_error = last.relative_error;
  result.penalty = last.penalty;
  result.kkt = last.kkt;
  result.promised_decrease = last.promised_decrease;
  result.heldout_error = last.heldout;
  return result;
}

/// Gram matrices and products with M are not part of the state: they follow from the factors, to the last
/// bit.
template <class T>
void OuterLoop<T>::exchange_state(StateExchange<T>& part) {
  part("W.X", fit_->X(Side::W));
  part("H.X", fit_->X(Side::H));
  fit_->exchange(part);
  solver_.exchange(part);
  course_.exchange(part, *fit_);
  convergence_.exchange(part);
  recorder_.exchange(part);
  part("compressed_rank", compressed_rank_);
  part("compressed_iterations", compressed_iterations_);
}

template <class T>
void OuterLoop<T>::offer_checkpoint() {
  if (!recorder_.checkpoint_is_due()) return;
  // Where iterations on a compression were cut short the run has left its way: that of the start stays.
  if (compression_cut_) return;
  if (identity_.empty()) identity_ = run_identity(data_, options_, plan_, workers_);  // by all workers
  if (recorder_.observer() == nullptr) return;
  Checkpoint<T> checkpoint;
  checkpoint.run = identity_;
  checkpoint.trace = recorder_.trace();
  auto saving = StateExchange<T>::saving_to(checkpoint);
  exchange_state(saving);
  recorder_.observer()->on_checkpoint(checkpoint);
}

template <class T>
void OuterLoop<T>::restore(Checkpoint<T> from) {
  identity_ = run_identity(data_, options_, plan_, workers_);
  check_identity<T>(from.run, identity_);
  if (from.trace.empty()) throw InvalidInput("The checkpoint is damaged: it has no trace.");
  auto restoring = StateExchange<T>::restoring_from(from);
  if (from.trace.size() == 1 && begins_on_compression()) {  // all that the rest depends on are the factors
    for (const Side side : {Side::W, Side::H}) {
      restoring(side == Side::W ? "W.X" : "H.X", fit_->X(side));
      fit_->moved(side);
    }
    return;
  }
  course_.begin(*fit_);
  exchange_state(restoring);
  for (const Side side : {Side::W, Side::H}) fit_->moved(side);
  recorder_.set_trace(std::move(from.trace));
}

template class OuterLoop<float>;
template class OuterLoop<double>;

}  // namespace anmf
