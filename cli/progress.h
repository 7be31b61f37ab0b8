// SPDX-License-Identifier: MIT
// The live line on a terminal, and the observer that feeds it and passes Ctrl-C on to the engine.
#pragma once

#include <chrono>
#include <string>

#include "anmf/factorize.h"
#include "interrupt.h"

namespace anmf::cli {

/// "850 ms" would be too fine for a line that moves: 3.2 s, 4m 07s, 2h 15m, 12 days.
[[nodiscard]] std::string format_duration(double seconds);

/// Seconds until the iteration or the time limit, whichever is nearer, at the pace so far. Infinite if
/// there is none. `wall_seconds` is what a person waited; the record's seconds are solver time.
[[nodiscard]] double seconds_to_limit(const IterationRecord& record, double wall_seconds,
                                      const Options& options);

/// The text of the live line.
[[nodiscard]] std::string progress_line(const IterationRecord& record, double wall_seconds,
                                        const Options& options);

/// One line on stderr that is rewritten about ten times a second. Silent if it is not wanted, or stderr is
/// not a terminal.
class StatusLine {
 public:
  explicit StatusLine(bool wanted = true);
  /// Leaves the line empty for what is printed next.
  ~StatusLine();
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  /// True if a text would be shown now: it need not be made otherwise.
  [[nodiscard]] bool due() const { return visible_ && Clock::now() >= next_draw_; }
  void show(const std::string& text);
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(Clock::now() - begin_).count();
  }

 private:
  using Clock = std::chrono::steady_clock;

  bool visible_;
  Clock::time_point begin_ = Clock::now();
  Clock::time_point next_draw_ = begin_;
  std::size_t drawn_ = 0;  // characters on the terminal now
};

/// The status line of one factorization.
class LiveLine {
 public:
  explicit LiveLine(const Options& options, bool wanted = true) : options_(options), line_(wanted) {}
  void update(const IterationRecord& record);

 private:
  const Options& options_;
  StatusLine line_;
};

template <class T>
class RunObserver final : public Observer<T> {
 public:
  /// Without the line it still passes Ctrl-C on.
  explicit RunObserver(const Options& options, bool with_line = true) : line_(options, with_line) {}

  typename Observer<T>::Action on_iteration(const IterationRecord& record, ConstMatrixView<T> /*W*/,
                                            ConstMatrixView<T> /*Ht*/) override {
    line_.update(record);
    return interrupt_requested() ? Observer<T>::Action::stop : Observer<T>::Action::proceed;
  }

 private:
  LiveLine line_;
};

}  // namespace anmf::cli
