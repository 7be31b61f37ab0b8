// SPDX-License-Identifier: MIT
// The ranks of an MPI job as the team of `survey`: each holds all of M, and takes the next job from a counter
// on rank 0.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>

#include "anmf/mpi/communicator.h"
#include "survey_team.h"

namespace anmf::mpi {

/// Numbers from 0 that every rank takes one after the other, while the others compute.
class SharedCounter {
 public:
  /// Made and destroyed by all ranks together.
  explicit SharedCounter(bool here);
  ~SharedCounter();
  SharedCounter(const SharedCounter&) = delete;
  SharedCounter& operator=(const SharedCounter&) = delete;

  /// From any thread.
  [[nodiscard]] Index next() { return take(1); }
  /// Whoever takes a number from here on takes one that is beyond all jobs.
  void exhaust();
  /// Lets the MPI of the rank that has the counter answer the others, unless another thread is talking to it.
  void attend();

 private:
  Index take(Index step);

  std::mutex mutex_;
  MPI_Win window_ = MPI_WIN_NULL;
};

class MpiSurveyTeam final : public cli::SurveyTeam {
 public:
  /// `workers` must outlive it.
  explicit MpiSurveyTeam(const Communicator& workers) : workers_(workers) {}

  [[nodiscard]] bool leads() const override { return workers_.rank() == 0; }
  [[nodiscard]] int threads(int asked) const override;
  void together(const std::function<void()>& step) override { workers_.together(step); }
  [[nodiscard]] TakeJob share_jobs() override;
  void attend(bool ended) override;
  [[nodiscard]] bool any(bool here) override;
  [[nodiscard]] int from_leader(int code) override { return workers_.from(0, code); }

 private:
  const Communicator& workers_;
  std::unique_ptr<SharedCounter> counter_;
  std::atomic<bool> told_ = false;  // the others of the end
};

}  // namespace anmf::mpi
