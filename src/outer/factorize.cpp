// SPDX-License-Identifier: MIT
// Checks, start factors, the outer loop, the last touches: one factorization from end to end.
#include "anmf/factorize.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "data/scaled_problem.h"
#include "init/start_factors.h"
#include "loss/check_loss.h"
#include "loss/held_out.h"
#include "loss/rank_one.h"
#include "loss/supply.h"
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
  const Rule& rule = plan.method.rule;
  if (rule.exact && (options.alpha || options.epsilon || options.inner_stop)) {
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
  if (options.delta && !rule.clamps)
    ignored("delta", fmt::format("only {} clamp their entries", methods_that(&Rule::clamps)));
  if (options.init != Init::scaled_random && start.W && start.H)
    ignored("init", "both start factors are given");
  if (options.shuffle && !rule.shuffles) {
    ignored("shuffle",
            fmt::format("only {} visit one component after the other", methods_that(&Rule::shuffles)));
  }
  if (plan.beta != 2 && plan.beta != 1 && is_sparse(data.storage())) {
    notes.push_back(
        fmt::format("The loss {} looks at the zeros of a sparse matrix, too: {} entries in every iteration "
                    "instead of {}.",
                    loss_name(plan.beta), data.rows() * data.cols(), data.nonzeros()));
  }
  if (plan.penalties.W.none() != plan.penalties.H.none()) {
    notes.emplace_back(
        "Only one factor is penalised; the other one can grow to evade the penalty. Consider alpha_W and "
        "alpha_H both.");
  }
  return notes;
}

/// Given start factors for the problem in its scale.
template <class T>
Start<T> scaled_start(Start<T> start, const ScaledProblem<T>& problem) {
  for (std::optional<Matrix<T>>* factor : {&start.W, &start.H}) {
    if (*factor) problem.scale_down(**factor, ScaledProblem<T>::Share::root);
  }
  return start;
}

/// The same penalty for factors divided by sqrt(scale), with the objective divided by scale^beta.
Penalty scaled_penalty(const Penalty& penalty, double scale, double beta) {
  constexpr double kHuge = 1e100;  // drives a factor to zero like any larger number, and stays finite
  const double rest = beta == 2 ? 1 : std::pow(scale, 2 - beta);
  return {.l1 = std::min(kHuge, penalty.l1 / scale / std::sqrt(scale) * rest),
          .l2 = std::min(kHuge, penalty.l2 / scale * rest)};
}

/// Entries of the start that a loss cannot do with: where W H is zero and M is not, the loss is infinite.
/// Multiplicative updates keep zeros, and take them as they are given.
template <class T>
double least_start(const Data<T>& data, const Options& options, const Plan& plan, const Workers& workers) {
  if (plan.beta == 2 || plan.method.rule.clamps) return plan.delta;
  constexpr double kShare = 1e-3;  // of an entry whose r products make the mean of M
  const double mean = sum_of_matrix(data, workers) / data.observed();
  return kShare * std::sqrt(mean / static_cast<double>(options.rank));
}

/// Rows of which nobody has observed anything begin at zero, and stay there: nothing pulls at them. Those
/// that do not count themselves are fitted to what the others give.
template <class T>
Factors<T> without_unobserved(Factors<T> factors, const Data<T>& data) {
  for (const Side side : {Side::W, Side::H}) {
    const std::span<const T> weights = data.line_weights(side);
    Matrix<T>& X = side == Side::W ? factors.W : factors.Ht;
    const Index first = data.owned(side).begin;
    for (const Index i : data.unobserved(side)) {
      const bool mine = i >= first && i < first + X.rows();
      const bool counts = weights.empty() || weights[static_cast<std::size_t>(i)] > T{0};
      if (mine && counts) std::fill_n(X.view().row(i - first), X.cols(), T{0});
    }
  }
  return factors;
}

/// Who takes part in a run.
template <class T>
struct Company {
  Observer<T>* observer;
  Reducer* reducer;
  ThreadPool* pool;
};

/// One factorization from checked options to the result. `start` makes the factors to begin with from the
/// problem in its scale; a checkpoint takes their place if there is one.
template <class T, class MakeStart>
Result<T> run(const Data<T>& data, const Options& options, Plan plan, std::vector<std::string> notes,
              const Company<T>& company, const MakeStart& start, Checkpoint<T>* checkpoint,
              const HeldOut<T>* held_out) {
  const auto rows = static_cast<double>(data.owned(Side::W).count + data.owned(Side::H).count);
  validate::memory(
      fmt::format("The factors of rank {}, their products with M and their Gram matrices", options.rank),
      2 * sizeof(T) * rows * static_cast<double>(options.rank) + validate::two_grams(options.rank),
      "choose a smaller rank");
  Observer<T>* observer = company.observer;
  std::unique_ptr<ThreadPool> own_pool;
  if (company.pool == nullptr) {
    own_pool = std::make_unique<ThreadPool>(
        options.threads, observer == nullptr ? Interrupt() : [observer] { observer->interrupt(); });
  }
  const Workers workers{company.pool == nullptr ? *own_pool : *company.pool, company.reducer};

  const ScaledProblem<T> scaled(data, plan.beta);
  const double scale = scaled.scale();
  const Data<T>& problem = scaled.data();
  plan.penalties = {.W = scaled_penalty(plan.penalties.W, scale, plan.beta),
                    .H = scaled_penalty(plan.penalties.H, scale, plan.beta)};
  if (plan.beta != 2) plan.reference = rank_one_loss(problem, plan.beta, workers);
  if (plan.beta == 2 && plan.weighted) plan.reference = 0.5 * problem.norm() * problem.norm();

  Result<T> result;
  Factors<T> factors;
  {  // so that the rest finds the room of the loop
    OuterLoop<T> loop(problem, options, plan, without_unobserved(start(scaled, workers), problem), scale,
                      workers, observer, held_out);
    if (checkpoint != nullptr) loop.restore(std::move(*checkpoint));
    for (Steps<Wanted<T>> steps = loop.run(); Wanted<T>* wanted = steps.next();) {
      supply(*wanted, problem, workers);
    }
    result = loop.result();
    factors = loop.take_factors();
  }
  if (held_out != nullptr) {
    result.heldout_entries = static_cast<Index>(held_out->weights.size());
    result.heldout_relative_error =
        held_out->error_of_mean > 0 ? result.heldout_error / held_out->error_of_mean : 0;
  }
  result.notes = std::move(notes);
  finish(std::move(factors), scale, options, workers, result);
  return result;
}

}  // namespace

namespace {

/// M, or what is left of it where entries are held out.
template <class T>
class Training {
 public:
  Training(const Data<T>& data, const Options& options, const Reducer* reducer) : data_(data) {
    if (options.heldout == 0) return;
    if (reducer != nullptr) {
      throw InvalidInput(
          "heldout does not go with several workers: they would each see a part of the entries.");
    }
    held_out_ = hold_out(data, options.heldout, options.heldout_seed, beta_of(options.loss));
  }
  [[nodiscard]] const Data<T>& data() const { return held_out_ ? *held_out_->training : data_; }
  [[nodiscard]] const HeldOut<T>* held_out() const { return held_out_ ? &*held_out_ : nullptr; }

 private:
  const Data<T>& data_;
  std::optional<HeldOut<T>> held_out_;
};

}  // namespace

template <class T>
Result<T> factorize(const Data<T>& all_data, const Options& options, const Start<T>& start,
                    Observer<T>* observer, Reducer* reducer, ThreadPool* pool) {
  validate::options(options);
  validate::data(all_data);
  const Training<T> training(all_data, options, reducer);
  const Data<T>& data = training.data();
  validate::sizes(data.rows(), data.cols(), options.rank);
  validate::start(start, data.owned(Side::W).count, data.owned(Side::H).count, options.rank);
  validate::init(options.init, start, data, options.rank, reducer);
  const Plan plan = make_plan<T>(options, data.rows(), data.cols(), data.nonzeros(), weighing_of(data));
  validate::weights(data, options);
  validate::signs(data, options, plan.method, plan.beta);
  if (plan.beta != 2) check_loss(data, plan.beta, reducer);
  return run(
      data, options, plan, make_notes(data, options, start, plan), Company<T>{observer, reducer, pool},
      [&](const ScaledProblem<T>& problem, const Workers& workers) {
        return start_factors<T>(problem.data(), options.rank, options.init, options.seed,
                                problem.scale() == 1 ? start : scaled_start(start, problem),
                                least_start(problem.data(), options, plan, workers), workers, plan.beta);
      },
      static_cast<Checkpoint<T>*>(nullptr), training.held_out());
}

template <class T>
Result<T> resume(const Data<T>& all_data, const Options& options, Checkpoint<T> checkpoint,
                 Observer<T>* observer, Reducer* reducer, ThreadPool* pool) {
  validate::options(options);
  validate::data(all_data);
  const Training<T> training(all_data, options, reducer);
  const Data<T>& data = training.data();
  const Plan plan = make_plan<T>(options, data.rows(), data.cols(), data.nonzeros(), weighing_of(data));
  if (plan.beta != 2) check_loss(data, plan.beta, reducer);
  return run(
      data, options, plan, make_notes(data, options, Start<T>{}, plan), Company<T>{observer, reducer, pool},
      [&](const ScaledProblem<T>&, const Workers&) {  // the state follows
        return Factors<T>{Matrix<T>(data.owned(Side::W).count, options.rank),
                          Matrix<T>(data.owned(Side::H).count, options.rank)};
      },
      &checkpoint, training.held_out());
}

template Result<float> factorize(const Data<float>&, const Options&, const Start<float>&, Observer<float>*,
                                 Reducer*, ThreadPool*);
template Result<double> factorize(const Data<double>&, const Options&, const Start<double>&,
                                  Observer<double>*, Reducer*, ThreadPool*);
template Result<float> resume(const Data<float>&, const Options&, Checkpoint<float>, Observer<float>*,
                              Reducer*, ThreadPool*);
template Result<double> resume(const Data<double>&, const Options&, Checkpoint<double>, Observer<double>*,
                               Reducer*, ThreadPool*);

}  // namespace anmf
