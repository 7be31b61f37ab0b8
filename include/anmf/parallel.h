// SPDX-License-Identifier: MIT
// Threads for loops over chunks, and the sums of workers that share a run. The chunks are fixed by the
// problem and never by the number of threads, and every chunk writes only its own place, so results have the
// same bits for any team size.
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "anmf/matrix.h"

namespace anmf {

/// Asked now and then while a call computes, always in the thread that made the call: between the chunks of
/// loops, and within chunks that take long. What it throws ends the call and comes out of it. It is asked
/// often, so it should be quick.
using Interrupt = std::function<void()>;

/// A team of threads that lives as long as this object. There is no global state: two teams can work
/// side by side, and a process that forks between two factorizations stays sound.
class ThreadPool {
 public:
  /// threads = 0 takes every core this process may use. If the system refuses some, the team is smaller.
  explicit ThreadPool(int threads = 1, Interrupt interrupt = {});
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  [[nodiscard]] int threads() const;

  /// Calls body(chunk) once for every chunk in [0, count), in any order, and waits for all of them.
  /// The first exception thrown by a body, or by the interrupt, is thrown again here. `flops` is a rough size
  /// of the whole loop: a loop too small to be worth waking the team runs in the calling thread.
  void for_each_chunk(Index count, double flops, const std::function<void(Index)>& body);

  /// For the calling thread between loops, and for bodies whose chunks may take longer than a moment: asks
  /// the interrupt, and throws in the other threads of the team if the loop has failed meanwhile.
  void look();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// Joins the workers that share one factorization, each of which calls factorize() with the same options and
/// with data that knows which rows are its own (Data::owned). All of them make the same calls in the same
/// order, and must get the same bits: decisions hang on them. In one process there is nothing to join.
class Reducer {
 public:
  virtual ~Reducer() = default;
  /// Every number becomes its sum over all workers.
  virtual void sum(std::span<double> values) = 0;
  /// Every number becomes its maximum over all workers.
  virtual void max(std::span<double> values) = 0;
};

}  // namespace anmf
