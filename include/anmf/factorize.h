// SPDX-License-Identifier: MIT
// The one call: M ~ W H with W >= 0 and H >= 0.
#pragma once

#include <optional>
#include <span>

#include "anmf/checkpoint.h"
#include "anmf/data.h"
#include "anmf/error.h"
#include "anmf/options.h"
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
  /// Asked after on_iteration(), with the clock stopped as well. True asks for the state of the run, which is
  /// then copied and handed over.
  [[nodiscard]] virtual bool checkpoint_due() { return false; }
  virtual void on_checkpoint(const Checkpoint<T>& checkpoint) { (void)checkpoint; }
};

/// Adds numbers over all workers that share one factorization. In one process there is nothing to add.
class Reducer {
 public:
  virtual ~Reducer() = default;
  virtual void sum(std::span<double> values) = 0;
};

/// Factorizes M. Throws InvalidInput before any work if an option or a start factor is wrong. A limit
/// that was reached is a status, not an error.
template <class T>
[[nodiscard]] Result<T> factorize(const Data<T>& data, const Options& options, const Start<T>& start = {},
                                  Observer<T>* observer = nullptr, Reducer* reducer = nullptr);

/// Goes on from a checkpoint as if the run had never stopped: the same bits, whatever the threads. Throws
/// InvalidInput if the checkpoint belongs to another matrix, or to options that led elsewhere.
template <class T>
[[nodiscard]] Result<T> resume(const Data<T>& data, const Options& options, const Checkpoint<T>& checkpoint,
                               Observer<T>* observer = nullptr, Reducer* reducer = nullptr);

extern template Result<float> factorize(const Data<float>&, const Options&, const Start<float>&,
                                        Observer<float>*, Reducer*);
extern template Result<double> factorize(const Data<double>&, const Options&, const Start<double>&,
                                         Observer<double>*, Reducer*);
extern template Result<float> resume(const Data<float>&, const Options&, const Checkpoint<float>&,
                                     Observer<float>*, Reducer*);
extern template Result<double> resume(const Data<double>&, const Options&, const Checkpoint<double>&,
                                      Observer<double>*, Reducer*);

}  // namespace anmf
