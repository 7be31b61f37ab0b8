// SPDX-License-Identifier: MIT
// The live line on a terminal, and the observer that feeds it, passes signals on to the engine and keeps
// checkpoints.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <utility>

#include "anmf/factorize.h"
#include "checkpoints.h"
#include "interrupt.h"

namespace anmf::cli {

/// "850 ms" would be too fine for a line that moves: 3.2 s, 4m 07s, 2h 15m, 12 days.
[[nodiscard]] std::string format_duration(double seconds);

/// Seconds until the iteration or the time limit, whichever is nearer, at the pace so far. Infinite if
/// there is none. `wall_seconds` is what a person waited; the record's seconds are solver time. `from` is
/// where this process began: at a start, or at a checkpoint.
[[nodiscard]] double seconds_to_limit(const IterationRecord& record, double wall_seconds,
                                      const Options& options, const IterationRecord& from = {});

/// The text of the live line.
[[nodiscard]] std::string progress_line(const IterationRecord& record, double wall_seconds,
                                        const Options& options, const IterationRecord& from = {});

/// One line on stderr: on a terminal it is rewritten about ten times a second; elsewhere, in a pipe or a log,
/// a new one is printed now and then. Silent if it is not wanted.
class StatusLine {
 public:
  explicit StatusLine(bool wanted = true);
  /// Leaves the line empty for what is printed next.
  ~StatusLine();
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  /// True if a text would be shown now: it need not be made otherwise.
  [[nodiscard]] bool due() const { return wanted_ && Clock::now() >= next_draw_; }
  void show(const std::string& text);
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(Clock::now() - begin_).count();
  }

 private:
  using Clock = std::chrono::steady_clock;

  bool wanted_;
  bool on_terminal_;
  Clock::time_point begin_ = Clock::now();
  Clock::duration interval_;
  Clock::time_point next_draw_;
  std::size_t drawn_ = 0;  // characters on the terminal now
};

/// The status line of one factorization.
class LiveLine {
 public:
  /// `more` gives what is added to the line.
  explicit LiveLine(const Options& options, bool wanted = true, const IterationRecord& from = {},
                    std::function<std::string()> more = {})
      : options_(options), from_(from), line_(wanted), more_(std::move(more)) {}
  void update(const IterationRecord& record);

 private:
  const Options& options_;
  IterationRecord from_;
  StatusLine line_;
  std::function<std::string()> more_;
};

template <class T>
class RunObserver final : public Observer<T> {
 public:
  /// Without the line it still passes signals on. `checkpoints` may be null.
  explicit RunObserver(const Options& options, bool with_line = true, CheckpointWriter* checkpoints = nullptr,
                       const IterationRecord& from = {}, std::function<std::string()> more = {})
      : line_(options, with_line, from, std::move(more)), checkpoints_(checkpoints), last_(from) {}

  typename Observer<T>::Action on_iteration(const IterationRecord& record, ConstMatrixView<T> /*W*/,
                                            ConstMatrixView<T> /*Ht*/) override {
    keep_from_here();
    last_ = record;
    line_.update(record);
    return interrupt_requested() ? Observer<T>::Action::stop : Observer<T>::Action::proceed;
  }
  typename Observer<T>::Action on_compressed_iteration() override {
    return interrupt_requested() ? Observer<T>::Action::stop : Observer<T>::Action::proceed;
  }
  [[nodiscard]] bool wants_factors() const override { return false; }
  bool checkpoint_due() override {
    keep_from_here();
    return checkpoints_ != nullptr && checkpoints_->due(last_);
  }
  void on_checkpoint(const Checkpoint<T>& checkpoint) override { checkpoints_->write(checkpoint); }

 private:
  LiveLine line_;
  CheckpointWriter* checkpoints_;
  IterationRecord last_;
};

}  // namespace anmf::cli
