// SPDX-License-Identifier: MIT
// The fit of the loss that a plan asks for.
#pragma once

#include <memory>
#include <utility>

#include "loss/entry_fit.h"
#include "loss/masked_fit.h"
#include "outer/plan.h"

namespace anmf {

template <class T>
[[nodiscard]] std::unique_ptr<FitTerm<T>> planned_fit(const Data<T>& data, Factors<T> start,
                                                      const Options& options, const Plan& plan,
                                                      const Workers& workers) {
  if (plan.beta == 2 && !plan.weighted) return make_fit(data, std::move(start), plan.penalties, workers);
  // Multiplicative updates of what was filled in would be slower than those of what counts.
  const bool fills_in = data.counted() == Counted::all_but && !plan.method.rule.clamps;
  if (plan.beta == 2 && (data.counted() == Counted::all || fills_in))
    return make_masked_fit(data, std::move(start), plan.penalties, workers);
  const EntryLoss loss{.beta = plan.beta,
                       .rule = plan.method.rule,
                       .inner_stop = plan.inner_stop,
                       .most_sweeps = options.max_inner_iterations,
                       .lower_bound = plan.delta,
                       .scikit_learns = plan.method.name == "mu",
                       .second = other(options.first),
                       .reference = plan.reference};
  return make_entry_fit(data, std::move(start), plan.penalties, loss, workers);
}

}  // namespace anmf
