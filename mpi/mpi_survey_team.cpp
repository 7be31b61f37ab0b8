// SPDX-License-Identifier: MIT
#include "mpi_survey_team.h"

#include <array>
#include <cstdint>
#include <optional>

#include "failure.h"
#include "mpi_team.h"

namespace anmf::mpi {

SharedCounter::SharedCounter(bool here) {
  void* memory = nullptr;
  const MPI_Aint bytes = here ? sizeof(std::int64_t) : 0;
  MPI_Win_allocate(bytes, sizeof(std::int64_t), MPI_INFO_NULL, MPI_COMM_WORLD, static_cast<void*>(&memory),
                   &window_);
  if (here) *static_cast<std::int64_t*>(memory) = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, window_);
}

SharedCounter::~SharedCounter() {
  MPI_Win_unlock_all(window_);
  MPI_Win_free(&window_);
}

Index SharedCounter::take(Index step) {
  const std::lock_guard lock(mutex_);
  const std::int64_t more = step;
  std::int64_t number = 0;
  MPI_Fetch_and_op(&more, &number, MPI_INT64_T, 0, 0, MPI_SUM, window_);
  MPI_Win_flush(0, window_);
  return number;
}

void SharedCounter::exhaust() {
  constexpr Index kBeyond = Index{1} << 50U;
  (void)take(kBeyond);
}

void SharedCounter::attend() {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return;
  int flag = 0;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
}

int MpiSurveyTeam::threads(int asked) const { return asked > 0 ? asked : cores_per_rank(workers_); }

TakeJob MpiSurveyTeam::share_jobs() {
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  if (level < MPI_THREAD_SERIALIZED) {
    throw cli::Failure(
        cli::ExitCode::usage,
        "this MPI does not let several threads of a rank talk to it, which a survey needs; anmf "
        "survey --part makes its jobs in several processes.");
  }
  counter_ = std::make_unique<SharedCounter>(leads());
  return [this] { return std::optional(counter_->next()); };
}

void MpiSurveyTeam::attend(bool ended) {
  if (!counter_) return;
  if (ended && !told_.exchange(true)) counter_->exhaust();
  if (leads()) counter_->attend();
}

bool MpiSurveyTeam::any(bool here) {
  std::array<double, 1> all = {here ? 1.0 : 0.0};
  workers_.max(all);
  return all[0] > 0;
}

}  // namespace anmf::mpi
