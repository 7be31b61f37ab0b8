// SPDX-License-Identifier: MIT
// A clock that counts only while it is running, so that evaluating the error is not billed to the solver.
#pragma once

#include <chrono>

namespace anmf {

class Stopwatch {
 public:
  [[nodiscard]] double seconds() const { return total_; }
  void add(double seconds) { total_ += seconds; }
  /// Goes on from here, as after a run that was stopped.
  void set(double seconds) { total_ = seconds; }

  /// Runs from its construction to its destruction.
  class Running {
   public:
    explicit Running(Stopwatch& watch) : watch_(watch), began_(Clock::now()) {}
    ~Running() { watch_.total_ += lap(); }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

    /// Seconds since the construction.
    [[nodiscard]] double lap() const { return std::chrono::duration<double>(Clock::now() - began_).count(); }

   private:
    using Clock = std::chrono::steady_clock;
    Stopwatch& watch_;
    Clock::time_point began_;
  };

 private:
  double total_ = 0;
};

}  // namespace anmf
