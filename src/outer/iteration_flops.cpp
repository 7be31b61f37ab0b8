// SPDX-License-Identifier: MIT
#include "anmf/estimate.h"
#include "core/cost_model.h"
#include "core/inner_stop.h"
#include "outer/plan.h"
#include "outer/planned_rule.h"

namespace anmf {
namespace {

struct InnerIterations {
  double least = 1;
  double most = 1;
};

InnerIterations inner_iterations(const InnerStop& stop, double rho, Index cap) {
  const auto budget = static_cast<double>(inner_budget(stop.alpha, rho));
  switch (stop.mode) {
    case InnerStopMode::fixed:
      return {budget, budget};
    case InnerStopMode::hybrid:
    case InnerStopMode::block:
      return {1, budget};
    case InnerStopMode::dynamic:
    case InnerStopMode::projected_gradient:
      return {1, static_cast<double>(cap)};
  }
  return {};
}

/// Neither the number type nor the sizes matter to the rule and its inner stop.
Plan plan_of(const Options& options) { return make_plan<double>(options, 1, 1, 1); }

}  // namespace

IterationFlops iteration_flops(Index rows, Index cols, Index nonzeros, const Options& options) {
  const Index r = options.rank;
  const Plan plan = plan_of(options);
  const Rule& rule = plan.method.rule;
  const bool certain = !rule.flops_vary && options.rho == RhoSource::flops;
  IterationFlops flops;
  double most = 0;
  const auto add_half = [&](Index N, Index N_fixed) {
    const auto inner =
        inner_iterations(plan.inner_stop, cost::rho(nonzeros, N, N_fixed, r), options.max_inner_iterations);
    const double products = cost::products(nonzeros, N_fixed, r);
    const double sweep = rule.sweep_flops(N, r);
    flops.least += products + (certain ? inner.least : 1) * sweep;
    most += products + inner.most * sweep;
  };
  add_half(rows, cols);
  add_half(cols, rows);
  if (certain) flops.most = most;
  return flops;
}

bool updates_while_reading(const Options& options, Side side) {
  return passes_once(plan_of(options), side, options.first);
}

}  // namespace anmf
