// SPDX-License-Identifier: MIT
// A run on a matrix of known size. Whatever is told of it before or after it is computed follows from one
// plan.
#pragma once

#include <memory>

#include "anmf/data.h"
#include "anmf/options.h"

namespace anmf {
struct Plan;
}

namespace anmf::cli {

struct PlannedRun {
  Index rows = 0;
  Index cols = 0;
  Index nonzeros = 0;
  Options options;
  std::shared_ptr<const Plan> plan;  ///< which factorize() is going to make of the same numbers
};

template <class T>
[[nodiscard]] PlannedRun plan_run(Index rows, Index cols, Index nonzeros, const Options& options);

template <class T>
[[nodiscard]] PlannedRun plan_run(const Data<T>& M, const Options& options) {
  return plan_run<T>(M.rows(), M.cols(), M.nonzeros(), options);
}

}  // namespace anmf::cli
