// SPDX-License-Identifier: MIT
// The outer loop, the paper's Algorithm 3 for every method and every kind of data:
//
//     repeat:  for each factor in turn:  C, G once (expensive);  sweeps until the inner stop (cheap)
//
// with extrapolation between the half-steps for the methods that ask for it (outer/extrapolation.h), and
// attempts to find a lower minimum once it has settled (outer/exploration.h). The evaluation of errors and
// gradients, and with it the end of a run, is in outer/evaluation.cpp; half-steps on blocks of rows, which
// may be made while M is read, in outer/block_half.cpp; checkpoints in outer/checkpoint.cpp. W is m x r and
// Ht, the transpose of H, n x r; both halves are the same code.
#pragma once

#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "anmf/factorize.h"
#include "core/stopwatch.h"
#include "core/workers.h"
#include "init/start_factors.h"
#include "outer/exploration.h"
#include "outer/extrapolation.h"
#include "outer/factor_state.h"
#include "outer/state_exchange.h"
#include "rules/update_rule.h"

namespace anmf {

template <class T>
class OuterLoop {
 public:
  /// `scale` is what M was divided by: errors are reported, and factors shown to the observer, in the
  /// caller's units.
  OuterLoop(const Data<T>& data, const Options& options, const Plan& plan, Factors<T> start, double scale,
            const Workers& workers, Observer<T>* observer);

  /// Runs until a stopping rule fires and fills everything but the factors of the result.
  void run(Result<T>& result);
  /// The same from a checkpoint on, whose factors this loop was made with.
  void run(Result<T>& result, Checkpoint<T> from);

  [[nodiscard]] Factors<T> take_factors() {
    return {std::move(state(Side::W).X), std::move(state(Side::H).X)};
  }

 private:
  /// What one pair of factors achieves.
  struct Fit {
    double squared_error = 0;
    double penalty = 0;
    double rounding = 0;  ///< by which the objective may be off, from the way it was evaluated

    [[nodiscard]] double objective() const { return 0.5 * squared_error + penalty; }
  };

  /// A half-step whose sweeps concern one block of rows after the other.
  struct BlockHalf {
    Side side;
    Matrix<T> gram_storage;
    HalfStep<T> problem;
    BlockStop stop;
    Index half_steps = 0;  ///< of the rule, when this one began
    BlockReport report;
    Stopwatch clock;
  };

  /// The pair to go back to if an attempt of the exploration finds nothing better.
  struct Home {
    Matrix<T> first;
    Matrix<T> second;
    Fit fit;
    double ceiling;
  };

  [[nodiscard]] FactorState<T>& state(Side side) { return states_[side == Side::W ? 0 : 1]; }
  [[nodiscard]] Side first() const { return options_.first; }
  [[nodiscard]] Side second() const { return other(options_.first); }
  [[nodiscard]] HalfStep<T> half_problem(Side side, Matrix<T>& gram_storage);

  void prepare();
  void iterate(Result<T>& result);
  void exchange_state(StateExchange<T>& part, Result<T>& result);
  void offer_checkpoint(Result<T>& result);
  void evaluate_start();
  [[nodiscard]] Factors<T> factors_of_compression(const Stopwatch::Running& running, Result<T>& result);
  void start_on_compression(Result<T>& result);
  void half_step(Side side);
  void drop_useless_columns(Side side);
  void inner_iterations(Side side);
  [[nodiscard]] bool block_by_block() const;
  [[nodiscard]] BlockHalf begin_blocks(Side side);
  void sweep_rows(BlockHalf& half, Index begin, Index end);
  void end_blocks(BlockHalf& half);
  [[nodiscard]] std::optional<Side> pass_side() const {
    return data_.pass_side(options_.rank, workers_.pool);
  }
  [[nodiscard]] bool passes_once(Side side) const;
  void half_step_in_one_pass(Side side);
  void pass(Side side, const BlockUpdate<T>& update);
  [[nodiscard]] bool revive(Side side);
  void refresh_gram(Side side);
  [[nodiscard]] double measured_rho(Side side, double sweep_seconds);
  void refresh_cross(Side side);
  void refresh_both_crosses();

  [[nodiscard]] Fit fit(Side last_updated);
  [[nodiscard]] Fit unpenalised_fit(Side last_updated);
  [[nodiscard]] double penalty();
  void conclude_iteration();
  void accept_fit(const Fit& fit);
  void balance();
  void explore();
  void set_out(const Exploration& exploration);
  void begin_anew();
  void settle();
  void record();
  void notify(const IterationRecord& record);

  void measure_gradient(Side side, const Matrix<T>& X);
  [[nodiscard]] bool gradient_is_due() const;
  [[nodiscard]] double relative_gradient();
  [[nodiscard]] double gradient_here();
  [[nodiscard]] bool should_stop(Result<T>& result);

  const Data<T>& data_;
  const Options& options_;
  const Plan& plan_;
  double scale_;
  Workers workers_;
  Observer<T>* observer_;
  std::unique_ptr<UpdateRule<T>> rule_;
  std::array<FactorState<T>, 2> states_;
  std::optional<Extrapolation<T>> extrapolation_;
  bool rejected_ = false;  ///< the last iteration was: the factors are back at its start
  std::optional<Exploration> exploration_;
  std::optional<Home> home_;  ///< during an attempt; meanwhile this is the pair to be shown and returned

  Stopwatch clock_;
  double flops_ = 0;
  double squared_norm_ = 0;
  Fit fit_;                    ///< of the last pair that was accepted
  double ceiling_ = HUGE_VAL;  ///< the lowest objective since the run last moved, plus its rounding
  double start_gradient_ = 0;
  double flops_at_gradient_ = 0;  ///< when the gradient was last looked at
  double confirmation_ = 1;       ///< share of the tolerance at which an estimated gradient is confirmed
  bool observer_stopped_ = false;
  std::vector<IterationRecord> trace_;
  std::map<std::string, std::string> identity_;  ///< of the run, once a checkpoint needs it
};

}  // namespace anmf
