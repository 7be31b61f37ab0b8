// SPDX-License-Identifier: MIT
// The part of the outer loop that goes beyond the paper: the start on a compression, iterations that are
// undone because their extrapolated factors led nowhere, and the attempts to find a lower minimum.
#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "data/compressed_data.h"
#include "outer/balance.h"
#include "outer/outer_loop.h"
#include "outer/slow_decrease.h"

namespace anmf {

/// The factors after iterations on a compression of M.
template <class T>
Factors<T> OuterLoop<T>::factors_of_compression(const Stopwatch::Running& running, Result<T>& result) {
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
  plan.explore = false;
  OuterLoop<T> loop(*stand_in, options, plan, take_factors(), 1, workers_, &observer);
  Result<T> outcome;
  loop.run(outcome);
  flops_ += stand_in->flops() + loop.flops_;
  result.effective.compressed_rank = stand_in->L().cols();
  result.effective.compressed_iterations = outcome.iterations;
  return loop.take_factors();
}

/// Iterates on a compression of M, where products are cheap, until that gains little. The first iteration
/// of the trace is all of that, seen from M.
template <class T>
void OuterLoop<T>::start_on_compression(Result<T>& result) {
  if (squared_norm_ == 0 || options_.max_iterations == 0) return;
  {
    const Stopwatch::Running running(clock_);
    for (FactorState<T>& s : states_) s.cross = Matrix<T>();  // the other loop needs the room
    Factors<T> factors = factors_of_compression(running, result);
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
  accept_fit(fit(first()));
  record();
}

/// Rises within the rounding of the lowest objective are none, however many of them follow each other.
template <class T>
void OuterLoop<T>::accept_fit(const Fit& fit) {
  fit_ = fit;
  ceiling_ = std::min(ceiling_, fit.objective() + fit.rounding);
}

/// Evaluates the new pair. Without extrapolation it is the next iterate, whatever its error.
template <class T>
void OuterLoop<T>::conclude_iteration() {
  const Fit candidate = fit(second());
  FactorState<T>& a = state(first());
  FactorState<T>& b = state(second());
  if (!extrapolation_) {
    accept_fit(candidate);
    return;
  }
  const Stopwatch::Running running(clock_);
  rejected_ = extrapolation_->active() && candidate.objective() > ceiling_;
  if (rejected_) {
    extrapolation_->reject(a.X, b.X);
    b.cross_is_current = false;
  } else {
    accept_fit(candidate);
    balance();
    extrapolation_->accept(a.X, b.X, workers_.pool);
  }
  a.cross_is_current = false;
  refresh_gram(second());
}

/// Brings components back whose scale has drifted, before the pair that was evaluated is extrapolated.
template <class T>
void OuterLoop<T>::balance() {
  // A penalty knows one scale alone, and so does a bound other than zero.
  const bool penalised = !plan_.penalty_W.none() || !plan_.penalty_H.none();
  if (!extrapolation_ || penalised || rule_->lower_bound() > 0) return;
  FactorState<T>& a = state(first());
  FactorState<T>& b = state(second());
  if (balance_components(a, b)) extrapolation_->restart(a.X, b.X);
}

/// Once the run has settled, tries to find a lower minimum than the one it is in.
template <class T>
void OuterLoop<T>::explore() {
  if (!exploration_) return;
  // A fit that is exact to rounding cannot be improved, nor can a single component.
  if (!home_ && (0.5 * fit_.squared_error <= fit_.rounding || options_.rank < 2)) return;
  switch (exploration_->after(std::sqrt(2 * fit_.objective()))) {
    case Exploration::Step::go_on:
      return;
    case Exploration::Step::set_out:
      set_out(*exploration_);
      return;
    case Exploration::Step::stay:
      home_.reset();
      return;
    case Exploration::Step::go_home:
      settle();
      return;
  }
}

template <class T>
void OuterLoop<T>::set_out(const Exploration& exploration) {
  settle();
  const Stopwatch::Running running(clock_);
  FactorState<T>& A = state(first());
  FactorState<T>& B = state(second());
  home_ = Home{.first = A.X, .second = B.X, .fit = fit_, .ceiling = ceiling_};
  const auto rank = static_cast<std::uint64_t>(options_.rank);
  for (const Index p : dispensable_components(A.gram, B.gram, exploration.failures())) {
    // Streams that nobody else uses: two for every attempt and component.
    constexpr std::uint64_t kFirstStream = 1024;
    const std::uint64_t stream =
        kFirstStream +
        2 * (static_cast<std::uint64_t>(exploration.attempts()) * rank + static_cast<std::uint64_t>(p));
    randomise_column(A.X, p, A.gram(p, p), rule_->lower_bound(), options_.seed, stream, A.first_row,
                     A.rows_elsewhere);
    randomise_column(B.X, p, B.gram(p, p), rule_->lower_bound(), options_.seed, stream + 1, B.first_row,
                     B.rows_elsewhere);
  }
  begin_anew();
  refresh_cross(first());
  ceiling_ = HUGE_VAL;
  accept_fit(fit(first()));
}

/// Goes on from the factors as they are now, and forgets where the last steps led.
template <class T>
void OuterLoop<T>::begin_anew() {
  for (const Side side : {Side::W, Side::H}) {
    state(side).cross_is_current = false;
    refresh_gram(side);
  }
  rejected_ = false;
  if (extrapolation_) {
    extrapolation_.emplace(state(first()).X, state(second()).X, plan_.method.rule.only_grows);
  }
}

/// Puts the pair to be returned in the place of the extrapolated one.
template <class T>
void OuterLoop<T>::settle() {
  if (home_) {
    state(first()).X = std::move(home_->first);
    state(second()).X = std::move(home_->second);
    begin_anew();
    fit_ = home_->fit;
    ceiling_ = home_->ceiling;
    home_.reset();
    return;
  }
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

template void OuterLoop<float>::start_on_compression(Result<float>&);
template void OuterLoop<double>::start_on_compression(Result<double>&);
template void OuterLoop<float>::accept_fit(const Fit&);
template void OuterLoop<double>::accept_fit(const Fit&);
template void OuterLoop<float>::conclude_iteration();
template void OuterLoop<double>::conclude_iteration();
template void OuterLoop<float>::explore();
template void OuterLoop<double>::explore();
template void OuterLoop<float>::settle();
template void OuterLoop<double>::settle();

}  // namespace anmf
