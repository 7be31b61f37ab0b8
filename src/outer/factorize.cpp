// SPDX-License-Identifier: MIT
// Checks, start factors, the outer loop, the last touches: one factorization from end to end.
#include "anmf/factorize.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "data/scaled_problem.h"
#include "init/start_factors.h"
#include "outer/finish.h"
#include "outer/outer_loop.h"
#include "outer/plan.h"
#include "validate/entries.h"
#include "validate/memory.h"
#include "validate/options.h"

namespace anmf {
namespace {

template <class T>
std::vector<std::string> make_notes(const Data<T>& data, const Options& options, const Start<T>& start,
                                    const Plan& plan) {
  std::vector<std::string> notes;
  if (data.empty_rows() > 0 || data.empty_cols() > 0) {
    notes.push_back(
        fmt::format("{} rows and {} columns of M hold only zeros; so do their rows of W and columns of H.",
                    data.empty_rows(), data.empty_cols()));
  }
  if (data.norm() == 0) notes.emplace_back("M is zero everywhere.");
  const auto ignored = [&](std::string_view option, std::string_view reason) {
    notes.push_back(fmt::format("{} has no effect: {}.", option, reason));
  };
  const InnerStopMode mode = plan.inner_stop.mode;
  const bool exact = plan.method.rule == RuleKind::bpp;
  if (exact && (options.alpha || options.epsilon || options.inner_stop)) {
    ignored("alpha, epsilon or inner_stop",
            fmt::format("{} solves every half-step exactly", plan.method.name));
  } else {
    if (options.alpha && (mode == InnerStopMode::dynamic || mode == InnerStopMode::projected_gradient)) {
      ignored("alpha", fmt::format("inner_stop is {}", to_string(mode)));
    }
    if (options.epsilon && (mode == InnerStopMode::fixed || mode == InnerStopMode::projected_gradient)) {
      ignored("epsilon", fmt::format("inner_stop is {}", to_string(mode)));
    }
  }
  if (options.delta && plan.method.rule != RuleKind::mu)
    ignored("delta", "only mu, a-mu and e-a-mu clamp their entries");
  if (options.init != Init::scaled_random && start.W && start.H)
    ignored("init", "both start factors are given");
  if (options.shuffle && plan.method.rule != RuleKind::hals)
    ignored("shuffle", "only hals, a-hals and e-a-hals visit one component after the other");
  if (plan.penalty_W.none() != plan.penalty_H.none()) {
    notes.emplace_back(
        "Only one factor is penalised; the other one can grow to evade the penalty. Consider alpha_W and "
        "alpha_H both.");
  }
  return notes;
}

/// Divides given start factors by sqrt(scale), as M is divided by scale.
template <class T>
Start<T> scaled_start(Start<T> start, double scale) {
  for (std::optional<Matrix<T>>* factor : {&start.W, &start.H}) {
    if (!*factor) continue;
    for (T& x : (*factor)->values()) x = static_cast<T>(static_cast<double>(x) / std::sqrt(scale));
  }
  return start;
}

/// The same penalty for factors divided by sqrt(scale), with the objective divided by scale^2.
Penalty scaled_penalty(const Penalty& penalty, double scale) {
  constexpr double kHuge = 1e100;  // drives a factor to zero like any larger number, and stays finite
  return {.l1 = std::min(kHuge, penalty.l1 / scale / std::sqrt(scale)),
          .l2 = std::min(kHuge, penalty.l2 / scale)};
}

/// One factorization from checked options to the result. `start` makes the factors to begin with from the
/// problem in its scale, `go` runs the loop.
template <class T, class MakeStart, class Go>
Result<T> run(const Data<T>& data, const Options& options, Plan plan, std::vector<std::string> notes,
              Observer<T>* observer, Reducer* reducer, const MakeStart& start, const Go& go) {
  if (reducer != nullptr && plan.compressed_rank > 0) {
    plan.compressed_rank = 0;
    notes.emplace_back(
        "The run does not begin on a compression of M: its bases would have to be joined between workers.");
  }
  const auto rows = static_cast<double>(data.owned(Side::W).count + data.owned(Side::H).count);
  validate::memory(
      fmt::format("The factors of rank {}, their products with M and their Gram matrices", options.rank),
      2 * sizeof(T) * rows * static_cast<double>(options.rank) + validate::two_grams(options.rank),
      "choose a smaller rank");
  ThreadPool pool(options.threads, observer == nullptr ? Interrupt() : [observer] { observer->interrupt(); });
  const Workers workers{pool, reducer};

  const ScaledProblem<T> scaled(data);
  const double scale = scaled.scale();
  const Data<T>& problem = scaled.data();

  Result<T> result;
  result.notes = std::move(notes);
  result.effective = {.method = plan.method.name,
                      .inner_stop = plan.inner_stop,
                      .delta = plan.delta,
                      .alpha_H = plan.alpha_H,
                      .threads = pool.threads()};
  plan.penalty_W = scaled_penalty(plan.penalty_W, scale);
  plan.penalty_H = scaled_penalty(plan.penalty_H, scale);
  Factors<T> factors;
  {  // so that the rest finds the room of the loop
    OuterLoop<T> loop(problem, options, plan, start(problem, scale, workers), scale, workers, observer);
    go(loop, result);
    factors = loop.take_factors();
  }
  finish(std::move(factors), scale, options, workers, result);
  return result;
}

}  // namespace

template <class T>
Result<T> factorize(const Data<T>& data, const Options& options, const Start<T>& start, Observer<T>* observer,
                    Reducer* reducer) {
  validate::options(options);
  validate::data(data);
  validate::sizes(data.rows(), data.cols(), options.rank);
  validate::start(start, data.owned(Side::W).count, data.owned(Side::H).count, options.rank);
  validate::init(options.init, start, data.rows(), data.cols(), options.rank, reducer);
  const Plan plan = make_plan<T>(options, data.rows(), data.cols(), data.nonzeros());
  return run(
      data, options, plan, make_notes(data, options, start, plan), observer, reducer,
      [&](const Data<T>& problem, double scale, const Workers& workers) {
        return start_factors<T>(problem, options.rank, options.init, options.seed,
                                scale == 1 ? start : scaled_start(start, scale), plan.delta, workers);
      },
      [](OuterLoop<T>& loop, Result<T>& result) { loop.run(result); });
}

template <class T>
Result<T> resume(const Data<T>& data, const Options& options, Checkpoint<T> checkpoint, Observer<T>* observer,
                 Reducer* reducer) {
  validate::options(options);
  validate::data(data);
  const Plan plan = make_plan<T>(options, data.rows(), data.cols(), data.nonzeros());
  return run(
      data, options, plan, make_notes(data, options, Start<T>{}, plan), observer, reducer,
      [&](const Data<T>& problem, double, const Workers&) {  // the state follows
        return Factors<T>{Matrix<T>(problem.owned(Side::W).count, options.rank),
                          Matrix<T>(problem.owned(Side::H).count, options.rank)};
      },
      [&](OuterLoop<T>& loop, Result<T>& result) { loop.run(result, std::move(checkpoint)); });
}

template Result<float> factorize(const Data<float>&, const Options&, const Start<float>&, Observer<float>*,
                                 Reducer*);
template Result<double> factorize(const Data<double>&, const Options&, const Start<double>&,
                                  Observer<double>*, Reducer*);
template Result<float> resume(const Data<float>&, const Options&, Checkpoint<float>, Observer<float>*,
                              Reducer*);
template Result<double> resume(const Data<double>&, const Options&, Checkpoint<double>, Observer<double>*,
                               Reducer*);

}  // namespace anmf
