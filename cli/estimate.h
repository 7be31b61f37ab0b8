// SPDX-License-Identifier: MIT
// What a run will need, before it is made: memory, and flops by the paper's cost model.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "anmf/matrix_file.h"
#include "anmf/options.h"
#include "input.h"
#include "planned_run.h"
#include "run_folder.h"

namespace anmf::cli {

struct RunEstimate {
  /// Of one outer iteration: both products and Gram matrices, and as few inner iterations as there can be.
  double least_flops = 0;
  /// With as many as there can be. Nothing if that is known only after the run: the rule times them (rho
  /// measured), searches along a line (pg) or exchanges variables (anls).
  std::optional<double> most_flops;
  double peak_bytes = 0;
};

/// What a run has in memory beside M and what the solver makes of it.
struct RunExtras {
  bool W_given = false;
  bool H_given = false;
  bool checkpoints = false;  ///< are saved, or one is restored
  bool reports = true;
  bool judged = false;       ///< the fit is judged after the run, which a matrix on disk is not
  double names_bytes = 0;    ///< of the names of rows and columns, once
  double library_bytes = 0;  ///< of the library that reads the file
  /// Several processes share M, and this one puts the factors of all of them together.
  struct Whole {
    Index rows = 0;
    Index cols = 0;
  };
  std::optional<Whole> whole;
  double gathered_bytes = 0;  ///< of all rows of both factors, where every process needs them
  /// What takes the place of one run, a survey say: its bytes beside M.
  std::function<double(const PlannedRun&)> instead;

  void add(const io::Annotations& file);
};

/// What a run on a matrix of so many bytes needs.
template <class T>
[[nodiscard]] RunEstimate estimate_run(const PlannedRun& run, double matrix_bytes, const RunExtras& extras);

/// The same of the run that is planned for a matrix in memory.
template <class T>
[[nodiscard]] RunEstimate estimate_run(const Input<T>& input, RunExtras extras);

[[nodiscard]] nlohmann::ordered_json describe_estimate(const InputSummary& input, std::string_view precision,
                                                       const Options& options, const RunEstimate& estimate);

/// The same in a few lines on stdout.
void print_estimate(const InputSummary& input, std::string_view precision, const Options& options,
                    const RunEstimate& estimate);

}  // namespace anmf::cli
