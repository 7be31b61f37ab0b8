// SPDX-License-Identifier: MIT
// Makes the runs of a comparison, as many side by side as asked for, and keeps each the moment it ends.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "experiments/run_store.h"

namespace anmf::cli {

/// Runs by their file name.
using Runs = std::map<std::string, Run>;

/// How much was done now, and how much was there from an earlier time.
struct RunTally {
  std::size_t made = 0;
  std::size_t kept = 0;
  int jobs = 1;  ///< the most runs that were made side by side, now or then
};

/// Makes every run that the store does not have. Each uses one thread, as in the paper. A request to
/// interrupt ends it with a Failure(interrupted); what was under way is lost, the rest is in the store.
RunTally make_runs(const std::vector<RunSpec>& specs, const RunStore& store, int jobs, Runs& runs);

}  // namespace anmf::cli
