// SPDX-License-Identifier: MIT
// The update rule that a plan asks for, and whether it is swept block by block.
#pragma once

#include <memory>
#include <utility>

#include "core/inner_stop.h"
#include "outer/plan.h"
#include "rules/rule_table.h"

namespace anmf {

template <class T>
[[nodiscard]] std::unique_ptr<UpdateRule<T>> planned_rule(const Plan& plan) {
  std::unique_ptr<UpdateRule<T>> rule = make_rule<T>(plan.method.rule, plan.delta);
  return plan.shuffle_seed ? make_shuffled(std::move(rule), *plan.shuffle_seed) : std::move(rule);
}

/// Blocks of rows stop on their own, or all rows after one sweep.
[[nodiscard]] inline bool sweeps_by_blocks(const Plan& plan) {
  return plan.inner_stop.mode == InnerStopMode::block ||
         (single_sweep(plan.inner_stop) && plan.method.rule.row_local);
}

/// Whether the half-step of `side` is made while M is read, where M comes in blocks of the rows of that side.
/// The second factor is extrapolated only when the whole iteration was good, and a product with it before
/// that would be of no use.
[[nodiscard]] inline bool passes_once(const Plan& plan, Side side, Side first) {
  return sweeps_by_blocks(plan) && (side == first || !plan.method.extrapolated);
}

}  // namespace anmf
