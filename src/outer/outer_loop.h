// SPDX-License-Identifier: MIT
// The outer loop, the paper's Algorithm 3 for every method and every kind of data:
//
//     repeat:  for each factor in turn:  C, G once (expensive);  sweeps until the inner stop (cheap)
//
// W is m x r and Ht, the transpose of H, n x r; both halves are the same code.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "anmf/factorize.h"
#include "core/stopwatch.h"
#include "core/workers.h"
#include "init/start_factors.h"
#include "outer/factor_state.h"
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

  [[nodiscard]] Factors<T> take_factors() {
    return {std::move(state(Side::W).X), std::move(state(Side::H).X)};
  }

 private:
  [[nodiscard]] FactorState<T>& state(Side side) { return states_[side == Side::W ? 0 : 1]; }
  [[nodiscard]] HalfStep<T> half_problem(Side side, Matrix<T>& gram_storage);

  void evaluate_start();
  void half_step(Side side);
  void inner_iterations(Side side, double product_seconds);
  void revive(Side side);
  void refresh_cross(Side side);
  void record(Index iteration, Side last_updated);
  void measure_gradient(Side side);
  [[nodiscard]] double relative_gradient();
  [[nodiscard]] bool should_stop(Result<T>& result);
  [[nodiscard]] double squared_error(Side last_updated);
  [[nodiscard]] double penalty();
  void notify(const IterationRecord& record);

  const Data<T>& data_;
  const Options& options_;
  const Plan& plan_;
  double scale_;
  Workers workers_;
  Observer<T>* observer_;
  std::unique_ptr<UpdateRule<T>> rule_;
  std::array<FactorState<T>, 2> states_;

  Stopwatch clock_;
  double flops_ = 0;
  double squared_norm_ = 0;
  double start_gradient_ = 0;
  bool observer_stopped_ = false;
  std::vector<IterationRecord> trace_;
};

}  // namespace anmf
