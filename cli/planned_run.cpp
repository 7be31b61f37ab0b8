// SPDX-License-Identifier: MIT
#include "planned_run.h"

#include "outer/plan.h"

namespace anmf::cli {

template <class T>
PlannedRun plan_run(Index rows, Index cols, Index nonzeros, const Options& options) {
  return {rows, cols, nonzeros, options,
          std::make_shared<const Plan>(make_plan<T>(options, rows, cols, nonzeros))};
}

template PlannedRun plan_run<float>(Index, Index, Index, const Options&);
template PlannedRun plan_run<double>(Index, Index, Index, const Options&);

}  // namespace anmf::cli
