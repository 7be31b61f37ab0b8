// SPDX-License-Identifier: MIT
// The part of the outer loop that saves and restores its state. Gram matrices and products with M are not
// part of it: they follow from the factors, to the last bit.
#include <array>
#include <string>

#include "anmf/error.h"
#include "outer/outer_loop.h"
#include "outer/run_identity.h"

namespace anmf {
namespace {

std::string prefix(Side side) { return side == Side::W ? "W." : "H."; }

}  // namespace

template <class T>
void OuterLoop<T>::exchange_state(StateExchange<T>& part, Result<T>& result) {
  for (const Side side : {Side::W, Side::H}) {
    FactorState<T>& s = state(side);
    const std::string name = prefix(side);
    part(name + "X", s.X);
    part(name + "rho", s.rho);
    part(name + "usual_squared_step", s.usual_squared_step);
    part(name + "gradient_tolerance", s.gradient_tolerance);
    part(name + "squared_gradient", s.squared_gradient);
    part(name + "inner_iterations", s.inner_iterations);
  }
  const std::string first_name = prefix(first());
  const std::string second_name = prefix(second());
  if (extrapolation_) extrapolation_->exchange(part, first_name, second_name);
  if (exploration_) exploration_->exchange(part);
  bool away = home_.has_value();
  part("away", away);
  if (away && !home_)
    home_ = Home{.first = state(first()).X, .second = state(second()).X, .fit = {}, .ceiling = 0};
  if (home_) {
    part(first_name + "home", home_->first);
    part(second_name + "home", home_->second);
    part("home.squared_error", home_->fit.squared_error);
    part("home.penalty", home_->fit.penalty);
    part("home.ceiling", home_->ceiling);
  }
  Index half_steps = rule_->half_steps();
  part("half_steps", half_steps);
  rule_->set_half_steps(half_steps);
  double seconds = clock_.seconds();
  part("seconds", seconds);
  clock_.set(seconds);
  part("flops", flops_);
  part("rejected", rejected_);
  part("squared_error", fit_.squared_error);
  part("penalty", fit_.penalty);
  part("ceiling", ceiling_);
  part("start_gradient", start_gradient_);
  part("flops_at_gradient", flops_at_gradient_);
  part("confirmation", confirmation_);
  part("compressed_rank", result.effective.compressed_rank);
  part("compressed_iterations", result.effective.compressed_iterations);
}

template <class T>
void OuterLoop<T>::offer_checkpoint(Result<T>& result) {
  // Workers go on, stop or save together, whoever asked.
  std::array<double, 2> asked = {observer_stopped_ ? 1.0 : 0.0,
                                 observer_ != nullptr && observer_->checkpoint_due() ? 1.0 : 0.0};
  workers_.sum(asked);
  observer_stopped_ = asked[0] > 0;
  if (asked[1] == 0) return;
  if (identity_.empty()) identity_ = run_identity(data_, options_, plan_, workers_);  // by all workers
  if (observer_ == nullptr) return;
  Checkpoint<T> checkpoint;
  checkpoint.run = identity_;
  checkpoint.trace = trace_;
  auto saving = StateExchange<T>::saving_to(checkpoint);
  exchange_state(saving, result);
  observer_->on_checkpoint(checkpoint);
}

template <class T>
void OuterLoop<T>::run(Result<T>& result, Checkpoint<T> from) {
  identity_ = run_identity(data_, options_, plan_, workers_);
  check_identity<T>(from.run, identity_);
  if (from.trace.empty()) throw InvalidInput("The checkpoint is damaged: it has no trace.");
  prepare();
  auto restoring = StateExchange<T>::restoring_from(from);
  exchange_state(restoring, result);
  for (const Side side : {Side::W, Side::H}) refresh_gram(side);
  trace_ = std::move(from.trace);
  iterate(result);
}

template void OuterLoop<float>::offer_checkpoint(Result<float>&);
template void OuterLoop<double>::offer_checkpoint(Result<double>&);
template void OuterLoop<float>::run(Result<float>&, Checkpoint<float>);
template void OuterLoop<double>::run(Result<double>&, Checkpoint<double>);

}  // namespace anmf
