// SPDX-License-Identifier: MIT
// What a factorization or a survey will take, before it is made: the flops of an iteration and the memory of
// every stage.
#pragma once

#include <optional>

#include "anmf/options.h"
#include "anmf/survey.h"

namespace anmf {

/// The flops of one outer iteration by the paper's cost model: both products, both Gram matrices, and the
/// inner iterations of both factors.
struct IterationFlops {
  double least = 0;  ///< with as few inner iterations as there can be
  /// With as many as there can be; nothing if only the run can tell, since rho is measured or the flops of an
  /// inner iteration vary.
  std::optional<double> most;
};

/// Of a matrix with so many rows, columns and stored entries. Throws InvalidInput if the method is unknown.
[[nodiscard]] IterationFlops iteration_flops(Index rows, Index cols, Index nonzeros, const Options& options);

/// The most bytes that a run has in memory beside M, in each of the stages that follow each other.
struct RunMemory {
  double start = 0;        ///< the start factors are made
  double compression = 0;  ///< the run begins on a compression of M; 0 if it does not
  double loop = 0;         ///< the outer iterations, without checkpoints
  double checkpoint = 0;   ///< a copy of the state, which comes to the loop while it is saved
  double end = 0;          ///< the factors get their units, order and norms
};

/// Of a run that computes in T with so many threads.
template <class T>
[[nodiscard]] RunMemory run_memory(Index rows, Index cols, Index nonzeros, const Options& options,
                                   int threads);

/// The most bytes that a survey has in memory beside M. Its jobs come first, several at a time, and then its
/// ranks, one by one.
struct SurveyNeeds {
  int jobs = 1;      ///< at a time
  double job = 0;    ///< the job that takes most
  double rank = 0;   ///< the rank that takes most is summed up
  double store = 0;  ///< what a store in memory holds in the end (SurveyMemory), which comes to all of it

  /// Beside a store in memory, or one in a folder.
  [[nodiscard]] double peak(bool in_memory) const;
};

/// Where M is: on disk, jobs go in groups that share every pass over the file.
enum class SurveyInput { memory, disk };

/// Of a survey with so many threads, where the options leave it open: a job for every thread, and more of
/// them that share their passes where M is on disk.
[[nodiscard]] int jobs_at_a_time(const SurveyOptions& options, int threads, SurveyInput input);

/// Of a survey that computes in T with so many threads, on a matrix with so many stored entries.
template <class T>
[[nodiscard]] SurveyNeeds survey_memory(Index rows, Index cols, Index nonzeros, const SurveyOptions& options,
                                        int threads, SurveyInput input = SurveyInput::memory);

/// The flops of one outer iteration of a job, and of one of every job.
[[nodiscard]] IterationFlops job_flops(Index rows, Index cols, Index nonzeros, const SurveyOptions& options,
                                       const JobKey& key);
[[nodiscard]] IterationFlops survey_flops(Index rows, Index cols, Index nonzeros,
                                          const SurveyOptions& options);

/// Whether the half-step of a side can be made while M is read in blocks of its rows (Data::one_pass).
[[nodiscard]] bool updates_while_reading(const Options& options, Side side);

}  // namespace anmf
