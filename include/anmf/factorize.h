// SPDX-License-Identifier: MIT
// The one call: M ~ W H with W >= 0 and H >= 0.
#pragma once

#include <optional>

#include "anmf/checkpoint.h"
#include "anmf/data.h"
#include "anmf/error.h"
#include "anmf/options.h"
#include "anmf/parallel.h"
#include "anmf/result.h"

namespace anmf {

/// Start factors. What is not given is drawn at random from the seed and scaled to fit M best.
template <class T>
struct Start {
  std::optional<Matrix<T>> W;  ///< m x r, >= 0
  std::optional<Matrix<T>> H;  ///< r x n, >= 0
};

/// Watches a run. Called once per outer iteration with the clock stopped.
template <class T>
class Observer {
 public:
  virtual ~Observer() = default;
  enum class Action { proceed, stop };
  /// W is m x r and Ht, the transpose of H, is n x r; both are valid during the call only.
  virtual Action on_iteration(const IterationRecord& record, ConstMatrixView<T> W, ConstMatrixView<T> Ht) = 0;
  /// Asked between the products with M that compress it, and after every iteration on the compression, which
  /// on_iteration() does not see. A run that stops there ends with what these iterations led to, or with the
  /// start.
  virtual Action on_compressed_iteration() { return Action::proceed; }
  /// Asked now and then within iterations as well, and while start factors are made (see Interrupt). What it
  /// throws ends the run without a result; workers that share the run would wait for the one that threw.
  virtual void interrupt() {}
  /// False: the factors that on_iteration() gets may be empty. A run whose numbers are scaled need not copy
  /// them then.
  [[nodiscard]] virtual bool wants_factors() const { return true; }
  /// False: of the entries held out the last record alone has the error. Their look takes up to half of the
  /// time of a run.
  [[nodiscard]] virtual bool wants_heldout() const { return true; }
  /// Asked after on_iteration(), with the clock stopped as well. True asks for the state of the run, which is
  /// then copied and handed over.
  [[nodiscard]] virtual bool checkpoint_due() { return false; }
  virtual void on_checkpoint(const Checkpoint<T>& checkpoint) { (void)checkpoint; }
};

/// Factorizes M. Throws before any work: InvalidInput if an option or a start factor is wrong,
/// NotEnoughMemory if the factors and two Gram matrices (r x r) are more than this machine can hold. A limit
/// that was reached is a status, not an error. With a reducer, the start factors, what the observer sees, the
/// matrices of a checkpoint and the factors of the result hold the rows of W and the columns of H that this
/// worker owns. An observer of any worker may stop the run or ask for the state of all of them.
/// With a pool, the run works with its threads instead of a team of its own, so that runs that follow each
/// other share one team; Options::threads has no effect then, and the pool's own Interrupt is asked in the
/// place of Observer::interrupt(). A pool carries one run at a time.
template <class T>
[[nodiscard]] Result<T> factorize(const Data<T>& data, const Options& options, const Start<T>& start = {},
                                  Observer<T>* observer = nullptr, Reducer* reducer = nullptr,
                                  ThreadPool* pool = nullptr);

/// Goes on from a checkpoint as if the run had never stopped: the same bits, whatever the threads. Throws
/// InvalidInput if the checkpoint belongs to another matrix, or to options that led elsewhere. Who moves the
/// checkpoint here needs no memory for it during the run.
template <class T>
[[nodiscard]] Result<T> resume(const Data<T>& data, const Options& options, Checkpoint<T> checkpoint,
                               Observer<T>* observer = nullptr, Reducer* reducer = nullptr,
                               ThreadPool* pool = nullptr);

extern template Result<float> factorize(const Data<float>&, const Options&, const Start<float>&,
                                        Observer<float>*, Reducer*, ThreadPool*);
extern template Result<double> factorize(const Data<double>&, const Options&, const Start<double>&,
                                         Observer<double>*, Reducer*, ThreadPool*);
extern template Result<float> resume(const Data<float>&, const Options&, Checkpoint<float>, Observer<float>*,
                                     Reducer*, ThreadPool*);
extern template Result<double> resume(const Data<double>&, const Options&, Checkpoint<double>,
                                      Observer<double>*, Reducer*, ThreadPool*);

}  // namespace anmf
