// SPDX-License-Identifier: MIT
// The front door of reading: from what was typed to a matrix in memory, or to one that stays in its file.
#pragma once

#include <optional>
#include <string>

#include "anmf/matrix_file.h"
#include "anmf/options.h"
#include "input.h"
#include "planned_run.h"
#include "streaming.h"

namespace anmf::cli {

/// All that the reading of the matrix of a run depends on.
struct InputRequest {
  const io::MatrixFile& file;
  const InputArguments& arguments;
  const ReportArguments& report;
  const Options& options;
  const MemoryBudget& memory;
};

/// Where a matrix is going to be.
struct InputPlan {
  PlannedRun run;                    ///< of a matrix that stays in its file
  std::optional<StreamPlan> stream;  ///< nothing if the matrix is read into memory
  io::Annotations annotations;       ///< of a matrix that stays in its file
};

/// Decides by the limit of memory whether the matrix stays in its file. Throws Failure if it fits in neither
/// way, as far as the file tells its size, or if an option does not go with a matrix on disk.
template <class T>
[[nodiscard]] InputPlan plan_input(const InputRequest& request);

/// The matrix as it was planned. Throws Failure if it turns out not to fit.
template <class T>
[[nodiscard]] Input<T> open_input(const InputRequest& request, InputPlan plan);

template <class T>
[[nodiscard]] Input<T> open_input(const InputRequest& request) {
  return open_input<T>(request, plan_input<T>(request));
}

}  // namespace anmf::cli
