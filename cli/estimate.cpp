// SPDX-License-Identifier: MIT
#include "estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "anmf/parallel.h"
#include "bytes.h"
#include "entries.h"
#include "outer/cost_model.h"
#include "outer/inner_stop.h"
#include "outer/run_memory.h"

namespace anmf::cli {
namespace {

using Json = nlohmann::ordered_json;  // people read it, so its keys keep their order

/// The program with its libraries and their buffers: what a run on a tiny matrix takes.
constexpr double kProgramBytes = 20e6;
/// The report page with its data, and the text that is made of both.
constexpr double kReportBytes = 4e6;

/// Columns of H that are turned at a time.
constexpr double kTurnedBytes = 1 << 24;

/// Flops of one inner iteration on a factor of N rows; at least.
double inner_flops(RuleKind rule, Index N, Index r) {
  switch (rule) {
    case RuleKind::mu:
      return cost::mu_sweep(N, r);
    case RuleKind::hals:
      return cost::hals_sweep(N, r);
    case RuleKind::pg:
      return cost::pg_gradient(N, r);  // and the trials of its line search
    case RuleKind::bpp:
      return 0;  // depends on the entries
  }
  return 0;
}

struct InnerIterations {
  double least = 1;
  double most = 1;
};

InnerIterations inner_iterations(const InnerStop& stop, double rho, const Options& options) {
  const auto budget = static_cast<double>(inner_budget(stop.alpha, rho));
  switch (stop.mode) {
    case InnerStopMode::fixed:
      return {budget, budget};
    case InnerStopMode::hybrid:
    case InnerStopMode::block:
      return {1, budget};
    case InnerStopMode::dynamic:
    case InnerStopMode::projected_gradient:
      return {1, static_cast<double>(options.max_inner_iterations)};
  }
  return {};
}

/// What a list of names takes.
double bytes_of(const io::Names& names) {
  double sum = 0;
  for (const auto* list : {&names.rows, &names.cols}) {
    for (const std::string& name : *list) {
      // A long one is apart, in pieces of 16 bytes of which the allocator takes one itself.
      const bool apart = name.capacity() > std::string().capacity();
      sum += sizeof(std::string) + (apart ? static_cast<double>(name.size()) + 32 : 0);
    }
  }
  return sum;
}

/// Beside M, at the largest of the stages that follow each other.
template <class T>
double bytes_beside_matrix(const PlannedRun& planned, const RunExtras& extras) {
  const Index rows = planned.rows;
  const Index cols = planned.cols;
  const Options& options = planned.options;
  const Plan& plan = *planned.plan;
  const auto factor_bytes = [&](Index count) {
    return static_cast<double>(count) * static_cast<double>(options.rank) * sizeof(T);
  };
  RunMemory run = run_memory<T>(rows, cols, options, plan, ThreadPool(options.threads).threads());
  // The result, and a block of H turned for AnnData.
  double output = factor_bytes(rows + cols) + std::min(factor_bytes(cols), kTurnedBytes) +
                  (extras.reports ? kReportBytes : 0);
  if (const auto& whole = extras.whole) {
    run.checkpoint += run_memory<T>(whole->rows, whole->cols, options, plan, 1).checkpoint;
    run.end += factor_bytes(whole->rows + 2 * whole->cols);
    output += factor_bytes(whole->rows + whole->cols);
  }
  const double stages = std::max(
      {run.start, run.compression, run.loop + (extras.checkpoints ? run.checkpoint : 0), run.end, output});
  // As they come with the file, as they belong to M, and as they are written: in text, and on the page.
  constexpr double kListsOfNames = 4;
  return stages + extras.library_bytes + kListsOfNames * extras.names_bytes +
         factor_bytes((extras.W_given ? rows : 0) + (extras.H_given ? cols : 0));
}

}  // namespace

void RunExtras::add(const io::Annotations& file) {
  names_bytes = bytes_of(file.names);
  library_bytes = file.library_bytes;
}

template <class T>
RunEstimate estimate_run(const PlannedRun& run, double matrix_bytes, const RunExtras& extras) {
  const Options& options = run.options;
  const Plan& plan = *run.plan;
  const Index r = options.rank;
  const Index K = run.nonzeros;
  RunEstimate estimate;
  double most = 0;
  const bool sweeps = plan.method.rule == RuleKind::mu || plan.method.rule == RuleKind::hals;
  const bool certain = sweeps && options.rho == RhoSource::flops;
  const auto add_half = [&](Index N, Index N_fixed) {
    const auto inner = inner_iterations(plan.inner_stop, cost::rho(K, N, N_fixed, r), options);
    const double products = cost::products(K, N_fixed, r);
    const double flops = inner_flops(plan.method.rule, N, r);
    estimate.least_flops += products + (certain ? inner.least : 1) * flops;
    most += products + inner.most * flops;
  };
  add_half(run.rows, run.cols);
  add_half(run.cols, run.rows);
  if (certain) estimate.most_flops = most;

  estimate.peak_bytes = kProgramBytes + matrix_bytes + bytes_beside_matrix<T>(run, extras);
  return estimate;
}

template <class T>
RunEstimate estimate_run(const Input<T>& input, RunExtras extras) {
  extras.names_bytes = bytes_of(input.labels.names);
  return estimate_run<T>(input.run.value(), matrix_bytes(input.matrix), extras);
}

Json describe_estimate(const InputSummary& input, std::string_view precision, const Options& options,
                       const RunEstimate& estimate) {
  Json json;
  report::describe_input(json, input, precision);
  json["method"] = find_method(options.method).name;
  json["rank"] = options.rank;
  json["least_flops_per_iteration"] = estimate.least_flops;
  json["most_flops_per_iteration"] = estimate.most_flops ? Json(*estimate.most_flops) : Json(nullptr);
  json["peak_bytes"] = static_cast<std::uint64_t>(estimate.peak_bytes);
  return json;
}

void print_estimate(const InputSummary& input, std::string_view precision, const Options& options,
                    const RunEstimate& estimate) {
  const bool dense = input.storage == "dense";
  fmt::print("matrix          {} ({} x {} {} {}{})\n", input.name, input.rows, input.cols, input.storage,
             precision, dense ? "" : fmt::format(", {} nonzeros", input.nonzeros));
  fmt::print("method          {}, rank {}\n", find_method(options.method).name, options.rank);
  if (!estimate.most_flops) {
    fmt::print("flops           at least {:.3g} in an outer iteration\n", estimate.least_flops);
  } else if (*estimate.most_flops > estimate.least_flops) {
    fmt::print("flops           {:.3g} to {:.3g} in an outer iteration\n", estimate.least_flops,
               *estimate.most_flops);
  } else {
    fmt::print("flops           {:.3g} in an outer iteration\n", estimate.least_flops);
  }
  fmt::print("memory          about {} at the peak\n", format_bytes(estimate.peak_bytes));
}

template RunEstimate estimate_run(const Input<float>&, RunExtras);
template RunEstimate estimate_run(const Input<double>&, RunExtras);
template RunEstimate estimate_run<float>(const PlannedRun&, double, const RunExtras&);
template RunEstimate estimate_run<double>(const PlannedRun&, double, const RunExtras&);

}  // namespace anmf::cli
