// SPDX-License-Identifier: MIT
// Who makes the jobs of a survey: this process alone, or together with others, each of which holds the matrix
// and takes a job when it has none. Then all of them run the same command on one folder, and one of them sums
// up and prints.
#pragma once

#include <functional>
#include <memory>

#include "anmf/survey.h"

namespace anmf::cli {

class SurveyTeam {
 public:
  SurveyTeam() = default;
  SurveyTeam(const SurveyTeam&) = delete;
  SurveyTeam& operator=(const SurveyTeam&) = delete;
  virtual ~SurveyTeam() = default;

  [[nodiscard]] virtual bool leads() const { return true; }
  /// Of a process that was asked to take so many; 0 is as many as there are.
  [[nodiscard]] virtual int threads(int asked) const { return asked; }
  /// Runs a step that may fail in one process alone; then it fails in all of them.
  virtual void together(const std::function<void()>& step) { step(); }
  /// Begins a count of jobs that all of them share; nothing where there is one process.
  [[nodiscard]] virtual TakeJob share_jobs() { return {}; }
  /// Called often while jobs are made, from any thread, so that others get their answers. `ended`: a signal
  /// has asked for the end, and nobody should take another job.
  virtual void attend(bool ended) { (void)ended; }
  /// True in all of them if it is in one.
  [[nodiscard]] virtual bool any(bool here) { return here; }
  /// The exit code of the process that leads, in all of them.
  [[nodiscard]] virtual int from_leader(int code) { return code; }
};

}  // namespace anmf::cli
