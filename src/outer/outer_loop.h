// SPDX-License-Identifier: MIT
// The outer loop, the paper's Algorithm 3 for every method, every loss and every kind of data:
//
//     repeat:  for each factor in turn:  C, G once (expensive);  sweeps until the inner stop (cheap)
//
// W is m x r and Ht, the transpose of H, n x r; both halves are the same code. The loop never multiplies with
// M: it says what it wants and goes on when that is there (core/steps.h), so that whoever drives it may make
// the products of many runs together. The parts of a run are objects of their own: the factors and their fit
// to M (loss/fit_term.h), the inner iterations (outer/half_solver.h), which pair is accepted
// (outer/course.h), the measure of convergence (outer/convergence.h), and the trace (outer/recorder.h).
#pragma once

#include <memory>
#include <optional>

#include "anmf/factorize.h"
#include "core/state_exchange.h"
#include "core/steps.h"
#include "loss/fit_term.h"
#include "outer/convergence.h"
#include "outer/course.h"
#include "outer/half_solver.h"
#include "outer/recorder.h"
#include "outer/run_identity.h"
#include "outer/stopping.h"

namespace anmf {

template <class T>
class OuterLoop {
 public:
  /// `data` is M / scale. Data, options and plan must outlive the loop.
  OuterLoop(const Data<T>& data, const Options& options, const Plan& plan, Factors<T> start, double scale,
            const Workers& workers, Observer<T>* observer, const HeldOut<T>* held_out = nullptr);
  /// Puts the run where a checkpoint left it; before its first step.
  void restore(Checkpoint<T> from);

  /// The whole run, to be driven to its end.
  [[nodiscard]] Steps<Wanted<T>> run();

  /// After the end: everything but the factors and the notes.
  [[nodiscard]] Result<T> result();
  [[nodiscard]] Factors<T> take_factors() { return fit_->take_factors(); }

 private:
  [[nodiscard]] Steps<Wanted<T>> begin();
  [[nodiscard]] bool begins_on_compression() const { return plan_.compressed_rank > 0 && data_.norm() > 0; }
  [[nodiscard]] Steps<Wanted<T>> begin_on_compression();
  [[nodiscard]] Factors<T> iterate_on(const CompressedData<T>& stand_in, Factors<T> start, double time_limit);
  [[nodiscard]] Steps<Wanted<T>> half_step(Side side);
  [[nodiscard]] Steps<Wanted<T>> conclude_iteration();
  [[nodiscard]] Steps<Wanted<T>> record();
  [[nodiscard]] Steps<Wanted<T>> measure();
  [[nodiscard]] Steps<Wanted<T>> test_for_stop();
  void offer_checkpoint();
  void exchange_state(StateExchange<T>& part);

  const Data<T>& data_;
  const Options& options_;
  const Plan& plan_;
  Workers workers_;
  const Side first_;
  const Side second_;
  std::unique_ptr<FitTerm<T>> fit_;
  HalfSolver<T> solver_;
  Course<T> course_;
  Convergence convergence_;
  Recorder<T> recorder_;
  std::optional<Stop> stop_;
  Index compressed_rank_ = 0;        ///< of the compression that the run began on; 0: there was none
  Index compressed_iterations_ = 0;  ///< on it
  bool compression_cut_ = false;     ///< by the observer
  RunIdentity identity_;             ///< once a checkpoint needs it
};

}  // namespace anmf
