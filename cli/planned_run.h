// SPDX-License-Identifier: MIT
// A run on a matrix of known size. What it will need follows from these numbers (anmf/estimate.h), which the
// engine plans the run from.
#pragma once

#include "anmf/data.h"
#include "anmf/options.h"

namespace anmf::cli {

struct PlannedRun {
  Index rows = 0;
  Index cols = 0;
  Index nonzeros = 0;
  Options options;
};

template <class T>
[[nodiscard]] PlannedRun plan_run(const Data<T>& M, const Options& options) {
  return {M.rows(), M.cols(), M.nonzeros(), options};
}

}  // namespace anmf::cli
