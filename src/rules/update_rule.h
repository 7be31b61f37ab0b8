// SPDX-License-Identifier: MIT
// A rule improves X (N x r) within one half-step (kernels/half_step.h). X is W or H', M is dense or sparse or
// elsewhere: a rule does not know and must not ask.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>

#include "anmf/options.h"
#include "kernels/half_step.h"

namespace anmf {

struct SweepReport {
  double squared_step = 0;  ///< ||X_new - X_old||_F^2
  double flops = 0;         ///< of all workers, like the sums
  bool stationary = false;  ///< X has not moved: within the gradient tolerance, or no step changes it
};

/// When the sweeps over one block of rows end, whatever the other blocks do (docs/algorithms.md).
struct BlockStop {
  Index budget = 1;    ///< at most this many sweeps
  double epsilon = 0;  ///< a step this much smaller than the first one is the last; 0 never ends early
  /// A block whose first step is below the usual one has little to do: its steps are compared with the
  /// usual first step of as many rows.
  double usual_squared_step_per_row = 0;
};

/// Sums over the rows of a half-step, in their order: they do not depend on how many calls it was cut into,
/// if cut between blocks.
struct BlockReport {
  double first_squared_step = 0;  ///< of the first sweep, over all rows
  double row_sweeps = 0;          ///< rows swept, each as often as it was
  double flops = 0;
};

/// What a rule is to sweep over.
struct SweepSizes {
  Index rows = 0;  ///< of the larger factor
  Index rank = 0;
  bool by_blocks = false;  ///< with sweep_blocks()
  int threads = 1;

  [[nodiscard]] double entries() const { return static_cast<double>(rows) * static_cast<double>(rank); }
};

template <class T>
class UpdateRule {
 public:
  UpdateRule() = default;
  UpdateRule(const UpdateRule&) = delete;
  UpdateRule& operator=(const UpdateRule&) = delete;
  virtual ~UpdateRule() = default;

  /// Called before the first sweep of a half-step and after the last one. In between a rule may keep X
  /// elsewhere: its new value is in X only after the end.
  virtual void begin_half(const HalfStep<T>& half, MatrixView<T> X) { (void)half, (void)X; }
  virtual void end_half(const HalfStep<T>& half, MatrixView<T> X) { (void)half, (void)X; }
  /// One inner iteration.
  virtual SweepReport sweep(const HalfStep<T>& half, MatrixView<T> X) = 0;

  /// All sweeps of a half-step over the rows of X, block by block; only for row-local rules. Adds to the
  /// report what was done in this process; the reducer is not called.
  virtual void sweep_blocks(const HalfStep<T>& half, MatrixView<T> X, const BlockStop& stop,
                            BlockReport& report);

  /// The smallest value an entry may take.
  [[nodiscard]] virtual double lower_bound() const { return 0; }

  /// What the rule has in memory beside X and what a half-step hands it.
  [[nodiscard]] virtual double bytes(const SweepSizes& sizes) const = 0;

  /// Half-steps so far, for a rule whose next one depends on their number.
  [[nodiscard]] virtual Index half_steps() const { return 0; }
  virtual void set_half_steps(Index count) { (void)count; }
};

template <class T>
void UpdateRule<T>::sweep_blocks(const HalfStep<T>& half, MatrixView<T> X, const BlockStop& stop,
                                 BlockReport& report) {
  (void)half, (void)X, (void)stop, (void)report;
  throw std::logic_error("This update rule does not work on blocks of rows.");
}

template <class T>
[[nodiscard]] std::unique_ptr<UpdateRule<T>> make_mu(double delta);
template <class T>
[[nodiscard]] std::unique_ptr<UpdateRule<T>> make_hals();
template <class T>
[[nodiscard]] std::unique_ptr<UpdateRule<T>> make_pg();
template <class T>
[[nodiscard]] std::unique_ptr<UpdateRule<T>> make_bpp();

/// The same rule, with the coordinates in a new random order in every half-step; for rules that take one
/// after the other.
template <class T>
[[nodiscard]] std::unique_ptr<UpdateRule<T>> make_shuffled(std::unique_ptr<UpdateRule<T>> rule,
                                                           std::uint64_t seed);

}  // namespace anmf
