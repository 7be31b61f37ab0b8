// SPDX-License-Identifier: MIT
// Runs that share the reads of their matrix M, for one that is read anew in every pass. When all of them wait
// for M, one pass shows every block to all, each of which does with it what it would do alone: so each run
// has the bits of the run alone. A pass serves whatever is wanted at that moment, so runs need not be at the
// same place: they come and go.
//
//     SharedPasses<T> passes(data, threads);
//     in a thread for each run:  const auto member = passes.join();  factorize(*member, ...);
#pragma once

#include <memory>

#include "anmf/data.h"
#include "anmf/parallel.h"

namespace anmf {

template <class T>
class SharedPasses {
 public:
  /// `data` must outlive this object. So many runs compute at a time (0: one for every core), in their own
  /// threads. The interrupt is asked by the threads of runs, one at a time, within passes; what it throws
  /// comes out of all runs that wait.
  explicit SharedPasses(const Data<T>& data, int threads = 0, Interrupt interrupt = {});
  ~SharedPasses();

  /// M for one more run, which may wait here until it may compute. The others wait for it as long as it is
  /// there, so its thread, which is this one, must do nothing else. Passes by a fingerprint are its own.
  [[nodiscard]] std::unique_ptr<Data<T>> join();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

extern template class SharedPasses<float>;
extern template class SharedPasses<double>;

}  // namespace anmf
