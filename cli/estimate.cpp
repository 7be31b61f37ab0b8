// SPDX-License-Identifier: MIT
#include "estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "anmf/estimate.h"
#include "anmf/fit_quality.h"
#include "anmf/parallel.h"
#include "bytes.h"
#include "entries.h"

namespace anmf::cli {
namespace {

using Json = nlohmann::ordered_json;  // people read it, so its keys keep their order

/// The program with its libraries and their buffers: what a run on a tiny matrix takes.
constexpr double kProgramBytes = 21e6;
/// The report page with its data, and the text that is made of both.
constexpr double kReportBytes = 4e6;

/// Columns of H that are turned at a time.
constexpr double kTurnedBytes = 1 << 24;

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
  const auto& [rows, cols, nonzeros, options] = planned;
  // As they come with the file, as they belong to M, and as they are written: in text, and on the page.
  constexpr double kListsOfNames = 4;
  const double names = extras.library_bytes + kListsOfNames * extras.names_bytes;
  if (extras.instead) return names + extras.instead(planned) + (extras.reports ? kReportBytes : 0);
  const auto factor_bytes = [&](Index count) {
    return static_cast<double>(count) * static_cast<double>(options.rank) * sizeof(T);
  };
  const int threads = ThreadPool(options.threads).threads();
  RunMemory run = run_memory<T>(rows, cols, nonzeros, options, threads);
  // The result, and a block of H turned for AnnData.
  double output = factor_bytes(rows + cols) + std::min(factor_bytes(cols), kTurnedBytes) +
                  (extras.reports ? kReportBytes : 0);
  const double judgement =
      extras.judged ? factor_bytes(rows + cols) + fit_quality_bytes<T>(rows, cols, options.rank, threads) : 0;
  if (const auto& whole = extras.whole) {
    run.checkpoint += run_memory<T>(whole->rows, whole->cols, nonzeros, options, 1).checkpoint;
    run.end += factor_bytes(whole->rows + 2 * whole->cols);
    output += factor_bytes(whole->rows + whole->cols);
  }
  const double stages =
      std::max({run.start, run.compression, run.loop + (extras.checkpoints ? run.checkpoint : 0), run.end,
                judgement, output});
  return stages + names + extras.gathered_bytes +
         factor_bytes((extras.W_given ? rows : 0) + (extras.H_given ? cols : 0));
}

}  // namespace

void RunExtras::add(const io::Annotations& file) {
  names_bytes = bytes_of(file.names);
  if (file.anndata)
    names_bytes += static_cast<double>(kMostGroupings) * static_cast<double>(file.names.rows.size());
  library_bytes = file.library_bytes;
}

template <class T>
RunEstimate estimate_run(const PlannedRun& run, double matrix_bytes, const RunExtras& extras) {
  const IterationFlops flops = iteration_flops(run.rows, run.cols, run.nonzeros, run.options);
  RunEstimate estimate{.least_flops = flops.least, .most_flops = flops.most};
  estimate.peak_bytes = kProgramBytes + matrix_bytes + bytes_beside_matrix<T>(run, extras);
  return estimate;
}

template <class T>
RunEstimate estimate_run(const Input<T>& input, RunExtras extras) {
  extras.names_bytes = bytes_of(input.labels.names);
  for (const auto* side : {&input.labels.groupings.rows, &input.labels.groupings.cols}) {
    for (const report::Grouping& grouping : *side)
      extras.names_bytes += static_cast<double>(grouping.codes.size());
  }
  RunEstimate estimate = estimate_run<T>(input.run, matrix_bytes(input.matrix), extras);
  estimate.peak_bytes = std::max(estimate.peak_bytes, kProgramBytes + input.preparing_bytes);
  return estimate;
}

/// The method in force.
static const Method& method_of(const InputSummary& input, const Options& options) {
  return find_method(options.method, beta_of(options.loss), MatrixKind{.sparse = is_sparse(input.storage)});
}

Json describe_estimate(const InputSummary& input, std::string_view precision, const Options& options,
                       const RunEstimate& estimate) {
  Json json;
  report::describe_input(json, input, precision);
  json["method"] = method_of(input, options).name;
  json["rank"] = options.rank;
  json["least_flops_per_iteration"] = estimate.least_flops;
  json["most_flops_per_iteration"] = estimate.most_flops ? Json(*estimate.most_flops) : Json(nullptr);
  json["peak_bytes"] = static_cast<std::uint64_t>(estimate.peak_bytes);
  return json;
}

void print_estimate(const InputSummary& input, std::string_view precision, const Options& options,
                    const RunEstimate& estimate) {
  fmt::print("matrix          {} ({} x {} {} {}{})\n", input.name, input.rows, input.cols,
             to_string(input.storage), input.types(precision),
             is_dense(input.storage) ? "" : fmt::format(", {} nonzeros", input.nonzeros));
  fmt::print("method          {}, rank {}\n", method_of(input, options).name, options.rank);
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
