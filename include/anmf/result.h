// SPDX-License-Identifier: MIT
// What a run reports while it goes on, and what it returns.
#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "anmf/matrix.h"
#include "anmf/options.h"

namespace anmf {

/// The state after one outer iteration; iteration 0 is the start. Every member has a row in the table of
/// columns (anmf/trace_columns.h).
struct IterationRecord {
  Index iteration = 0;
  double seconds = 0;               ///< solver time so far, without evaluation and observers
  double flops = 0;                 ///< work so far by the paper's cost model
  double error = 0;                 ///< ||M - W H||_F; sqrt(2 divergence) for other losses
  double relative_error = 0;        ///< error / ||M||_F, or that of the best model of rank one (0 if M = 0)
  double penalty = 0;               ///< the penalty terms, apart from the fit
  Index inner_w = 0;                ///< inner iterations of the W half
  Index inner_h = 0;                ///< inner iterations of the H half
  Index compressed_iterations = 0;  ///< on a compression of M, that this iteration stands for
  /// How far the pair is from optimal (StopRule); NaN where nobody has looked.
  double promised_decrease = std::numeric_limits<double>::quiet_NaN();
  double kkt = std::numeric_limits<double>::quiet_NaN();
  /// As `error`, of the entries that were held out; NaN if there are none.
  double heldout = std::numeric_limits<double>::quiet_NaN();
};

enum class Status { converged, iteration_limit, time_limit, stopped_by_observer };

[[nodiscard]] std::string_view to_string(Status status);

/// The values in force after defaults were filled in.
struct EffectiveOptions {
  double beta = 2;          ///< of the loss
  std::string_view method;  ///< one of methods(), also where the options say "auto"
  InnerStop inner_stop;
  double delta = 0;  ///< 0 for rules that do not clamp
  double alpha_H = 0;
  int threads = 1;
  Index compressed_rank = 0;        ///< of the compression that the run began on; 0: there was none
  Index compressed_iterations = 0;  ///< on it; the trace shows them as one
  Index explorations = 0;           ///< attempts to find a lower minimum
  Index lower_minima = 0;           ///< those that found one
};

template <class T>
struct Result {
  Matrix<T> W;  ///< m x r
  Matrix<T> H;  ///< r x n
  /// Component scales; all 1 unless the result is normalised. M ~ W diag(scale) H.
  std::vector<double> scale;

  double error = 0;           ///< ||M - W diag(scale) H||_F; sqrt(2 divergence) for other losses
  double relative_error = 0;  ///< error / ||M||_F; for other losses over that of the best model of rank one
  double penalty = 0;
  /// Norm of the projected gradient at the end over its norm at the start.
  double kkt = 0;
  /// Share of the objective that one more pass over all entries of both factors promises to take off.
  double promised_decrease = 0;
  /// Of the entries that were held out (Options::heldout): as `error`, that over the error of their mean in
  /// the place of a model, and their number. NaN and 0 if there are none.
  double heldout_error = std::numeric_limits<double>::quiet_NaN();
  double heldout_relative_error = std::numeric_limits<double>::quiet_NaN();
  Index heldout_entries = 0;
  Index iterations = 0;
  double seconds = 0;
  Status status = Status::iteration_limit;
  std::string message;             ///< the status as a sentence
  std::vector<std::string> notes;  ///< things worth knowing: empty rows, ignored options, ...
  std::vector<IterationRecord> trace;
  EffectiveOptions effective;
};

}  // namespace anmf
