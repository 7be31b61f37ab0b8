// SPDX-License-Identifier: MIT
// What a run has reached and what it took, iteration by iteration, as the caller sees it.
#pragma once

#include <vector>

#include "anmf/factorize.h"
#include "core/stopwatch.h"
#include "loss/held_out.h"
#include "outer/course.h"
#include "outer/half_solver.h"

namespace anmf {

template <class T>
class Recorder {
 public:
  /// `scale` is what M was divided by: errors are reported, and factors shown to the observer, in the
  /// caller's units.
  Recorder(double scale, Observer<T>* observer, const Workers& workers, const HeldOut<T>* held_out = nullptr)
      : scale_(scale), observer_(observer), workers_(workers), held_out_(held_out) {}

  Stopwatch clock;  ///< solver time: it runs while an iteration does
  double flops = 0;

  [[nodiscard]] const std::vector<IterationRecord>& trace() const { return trace_; }
  void set_trace(std::vector<IterationRecord> trace) { trace_ = std::move(trace); }
  [[nodiscard]] std::vector<IterationRecord> take_trace() { return std::move(trace_); }

  /// Adds the pair that would be returned now to the trace.
  void record(const Course<T>& course, const FitTerm<T>& fit, const HalfSolver<T>& solver);
  /// By the entries held out, if there are any.
  void judge(const Course<T>& course, const FitTerm<T>& fit);
  /// So many iterations on a compression of M led there.
  void stands_for(Index compressed_iterations) {
    trace_.back().compressed_iterations = compressed_iterations;
  }
  /// How far that pair is from optimal.
  void measured(double kkt, double promised_decrease);
  /// Shows it to the observer.
  void show(const Course<T>& course, const FitTerm<T>& fit);
  /// Agrees with the other workers on what observers asked for. True if some want the state of the run.
  [[nodiscard]] bool checkpoint_is_due();
  /// Asks all workers' observers whether the run ends here, between two products that compress M.
  [[nodiscard]] bool ends_on_compression();
  [[nodiscard]] bool stopped_by_observer() const { return stopped_; }
  [[nodiscard]] Observer<T>* observer() const { return observer_; }

  /// Names its state to an Exchange (core/state_exchange.h); the trace goes apart from it.
  template <class Exchange>
  void exchange(Exchange& part) {
    double seconds = clock.seconds();
    part("seconds", seconds);
    clock.set(seconds);
    part("flops", flops);
  }

 private:
  double scale_;
  Observer<T>* observer_;
  Workers workers_;
  const HeldOut<T>* held_out_;
  std::vector<IterationRecord> trace_;
  bool stopped_ = false;
};

}  // namespace anmf
