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
#include "core/random.h"
#include "outer/outer_loop.h"

namespace anmf {
namespace {

std::string prefix(Side side) { return side == Side::W ? "W." : "H."; }

using Identity = std::map<std::string, std::string>;

/// x'Mz for fixed x and z of signs: about ||M||, and another number if entries change or change places.
template <class T>
double signed_sum(const Data<T>& data, const Workers& workers) {
  const auto signs = [&data](Side side) {
    const RowRange rows = data.owned(side);
    const std::uint64_t stream = side == Side::W ? streams::kSignsW : streams::kSignsH;
    Matrix<T> result(rows.count, 1);
    for (Index i = 0; i < rows.count; ++i)
      result(i, 0) = random_bits(0, stream, rows.begin + i)[0] % 2 == 0 ? T{1} : T{-1};
    return result;
  };
  const Matrix<T> x = signs(Side::W);
  const Matrix<T> z = signs(Side::H);
  Matrix<T> Mz(x.rows(), 1);
  data.cross(Side::W, z.view(), Mz.view(), workers.pool);
  double sum = 0;
  for (Index i = 0; i < x.rows(); ++i) sum += static_cast<double>(x(i, 0)) * static_cast<double>(Mz(i, 0));
  workers.sum({&sum, 1});
  return sum;
}

constexpr const char* kFingerprint = "fingerprint of the entries";
constexpr const char* kSignedSum = "sum of the entries with signs";

/// All that the course of a run depends on, apart from its state. Numbers are written to the last bit.
template <class T>
Identity identity(const Data<T>& data, const Options& options, const Plan& plan, const Workers& workers) {
  Identity run;
  if (const auto entries = data.fingerprint(workers.pool)) {
    run[kFingerprint] = fmt::format("{:016x}", entries->of_matrix);
  } else {
    run[kSignedSum] = fmt::format("{}", signed_sum(data, workers));
  }
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

double number(const Identity& run, const char* name) { return std::strtod(run.at(name).c_str(), nullptr); }

/// The last bits of a norm, or of a sum, are those of its order, which workers that share a matrix change.
template <class T>
bool same(const std::string& name, const Identity& saved, const Identity& here) {
  constexpr double kRounding = 1e-10;
  constexpr double kProductRounding = std::is_same_v<T, float> ? 1e-4 : kRounding;
  const auto differ = [&](const char* which) { return std::abs(number(saved, which) - number(here, which)); };
  if (name == "norm") return differ("norm") <= kRounding * number(here, "norm");
  if (name == kSignedSum) return differ(kSignedSum) <= kProductRounding * number(here, "norm");
  return saved.at(name) == here.at(name);
}

template <class T>
void check_identity(const Identity& saved, const Identity& here) {
  // What people know of their matrix and options first; the entries are compared when all of that is right.
  std::vector<std::string> names;
  for (const auto& [name, value] : here) {
    if (name != kFingerprint && name != kSignedSum) names.push_back(name);
  }
  names.emplace_back(here.contains(kFingerprint) ? kFingerprint : kSignedSum);
  for (const std::string& name : names) {
    if (!saved.contains(name)) {
      throw InvalidInput("The checkpoint does not say its " + name +
                         "; it is of another version, or of another kind of matrix.");
    }
    if (same<T>(name, saved, here)) continue;
    throw InvalidInput(fmt::format(
        "The checkpoint is of another {}: its {} is {}, here it is {}. Resume with the matrix and "
        "the options that the run began with; only threads, limits and tolerances may change.",
        name == names.back() ? "matrix" : "run", name, saved.at(name), here.at(name)));
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
  if (asked[1] == 0) return;
  if (identity_.empty()) identity_ = identity(data_, options_, plan_, workers_);  // by all workers
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
  identity_ = identity(data_, options_, plan_, workers_);
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
