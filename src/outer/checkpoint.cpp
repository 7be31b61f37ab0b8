// SPDX-License-Identifier: MIT
// The part of the outer loop that saves and restores its state. Gram matrices and products with M are not
// part of it: they follow from the factors, to the last bit.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <map>
#include <string>
#include <type_traits>

#include "anmf/error.h"
#include "outer/outer_loop.h"

namespace anmf {
namespace {

std::string prefix(Side side) { return side == Side::W ? "W." : "H."; }

using Identity = std::map<std::string, std::string>;

/// All that the course of a run depends on, apart from its state. Numbers are written to the last bit.
template <class T>
Identity identity(const Data<T>& data, const Options& options, const Plan& plan) {
  Identity run;
  const auto add = [&run](const char* name, const auto& value) { run[name] = fmt::format("{}", value); };
  add("rows", data.rows());
  add("columns", data.cols());
  add("nonzeros", data.nonzeros());
  add("norm", data.norm());
  add("precision", std::is_same_v<T, float> ? "float32" : "float64");
  add("method", plan.method.name);
  add("rank", options.rank);
  add("seed", options.seed);
  add("inner stop", to_string(plan.inner_stop.mode));
  add("alpha", plan.inner_stop.alpha);
  add("epsilon", plan.inner_stop.epsilon);
  add("delta", plan.delta);
  add("rho", to_string(options.rho));
  add("limit of inner iterations", options.max_inner_iterations);
  add("explore", plan.explore);
  add("alpha_W", options.alpha_W);
  add("alpha_H", plan.alpha_H);
  add("l1_ratio", options.l1_ratio);
  add("shuffle", options.shuffle);
  add("revive", options.revive);
  add("first factor", options.first == Side::W ? "W" : "H");
  return run;
}

/// The last bits of a norm are those of the order of its sum, which workers that share a matrix change.
bool nearly_equal(const std::string& a, const std::string& b) {
  constexpr double kRounding = 1e-10;
  const double x = std::strtod(a.c_str(), nullptr);
  const double y = std::strtod(b.c_str(), nullptr);
  return std::abs(x - y) <= kRounding * std::abs(y);
}

void check_identity(const Identity& saved, const Identity& here) {
  for (const auto& [name, value] : here) {
    const auto found = saved.find(name);
    if (found == saved.end()) {
      throw InvalidInput("The checkpoint does not say its " + name + "; it is of another version.");
    }
    if (found->second == value || (name == "norm" && nearly_equal(found->second, value))) continue;
    throw InvalidInput(fmt::format(
        "The checkpoint is of another run: its {} is {}, here it is {}. Resume with the matrix and "
        "the options that the run began with; only threads, limits and tolerances may change.",
        name, found->second, value));
  }
}

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
  if (observer_ == nullptr || asked[1] == 0) return;
  Checkpoint<T> checkpoint;
  checkpoint.run = identity(data_, options_, plan_);
  checkpoint.trace = trace_;
  StateExchange<T> saving(checkpoint);
  exchange_state(saving, result);
  observer_->on_checkpoint(checkpoint);
}

template <class T>
void OuterLoop<T>::run(Result<T>& result, const Checkpoint<T>& from) {
  check_identity(from.run, identity(data_, options_, plan_));
  if (from.trace.empty()) throw InvalidInput("The checkpoint is damaged: it has no trace.");
  prepare();
  StateExchange<T> restoring(from);
  exchange_state(restoring, result);
  for (const Side side : {Side::W, Side::H}) refresh_gram(side);
  trace_ = from.trace;
  iterate(result);
}

template void OuterLoop<float>::offer_checkpoint(Result<float>&);
template void OuterLoop<double>::offer_checkpoint(Result<double>&);
template void OuterLoop<float>::run(Result<float>&, const Checkpoint<float>&);
template void OuterLoop<double>::run(Result<double>&, const Checkpoint<double>&);

}  // namespace anmf
