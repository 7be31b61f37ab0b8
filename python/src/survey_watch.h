// SPDX-License-Identifier: MIT
// A survey under way: its jobs are made by threads that are not Python's, so the calling thread waits beside
// them and looks for Ctrl-C.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <exception>
#include <functional>
#include <mutex>
#include <utility>

#include "anmf/survey.h"
#include "call.h"

namespace anmf::python {

/// Runs work() in a thread of its own, without the GIL, while the calling thread, which holds it, looks for
/// what ends the call: then `stop` becomes true, and what ended it comes out when work() has returned.
void run_aside(Call& call, std::atomic<bool>& stop, const std::function<void()>& work);

/// Calls on_job(record and progress as numbers) after every job and on_rank(rank) before every rank, if they
/// are not None. A true value of on_job ends the making of jobs; an exception ends the survey.
template <class T>
class PySurveyObserver final : public SurveyObserver<T> {
 public:
  PySurveyObserver(nanobind::object on_job, nanobind::object on_rank, const std::atomic<bool>& interrupted)
      : on_job_(std::move(on_job)), on_rank_(std::move(on_rank)), interrupted_(interrupted) {}

  void on_job(const JobRecord& record, const SurveyProgress& progress) override {
    if (on_job_.is_none()) return;
    const nanobind::gil_scoped_acquire gil;
    if (nanobind::cast<bool>(nanobind::bool_(call_on_job(record, progress)))) stop_ = true;
  }

  void on_rank(Index rank) override {
    if (interrupted_) throw Interrupted{};
    if (on_rank_.is_none()) return;
    const nanobind::gil_scoped_acquire gil;
    on_rank_(rank);
  }

  [[nodiscard]] bool stop() override { return stop_ || interrupted_; }

  /// Thrown where a survey ends since the call does.
  struct Interrupted : std::exception {
    [[nodiscard]] const char* what() const noexcept override { return "the survey was interrupted"; }
  };

 private:
  [[nodiscard]] nanobind::object call_on_job(const JobRecord& record, const SurveyProgress& progress) const;

  nanobind::object on_job_;
  nanobind::object on_rank_;
  const std::atomic<bool>& interrupted_;
  std::atomic<bool> stop_ = false;
};

}  // namespace anmf::python
