// SPDX-License-Identifier: MIT
#include "judgement.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "anmf/fit_quality.h"
#include "fit_report.h"
#include "interrupt.h"

namespace anmf::cli {
namespace {

using Json = nlohmann::ordered_json;

/// The bound may take this part of the flops of the run, or so many flops, which are over in a moment.
constexpr double kLargestShare = 0.1;
constexpr double kFewFlops = 2e9;

struct Interrupted {};

/// Ctrl-C also ends what comes after the run.
void throw_if_interrupted() {
  if (interrupt_requested()) throw Interrupted{};
}

template <class T>
bool counts_alike(const Data<T>& data) {
  return data.counted() == Counted::all && data.line_weights(Side::W).empty() &&
         data.line_weights(Side::H).empty();
}

/// Why the fit is not looked at, if it is not.
template <class T>
std::optional<std::string> obstacle(const Input<T>& input, const Result<T>& result) {
  if (result.effective.beta != 2)
    return "It is one of the squared distance, which this run does not minimise.";
  if (!counts_alike(*input.matrix.data) || result.heldout_entries > 0)
    return "It was not computed, since it is one of all entries, and not all count the same here.";
  if (input.stream != nullptr) return "It was not computed, since the matrix stays in its file.";
  if (input.shared) return "It was not computed, since several processes share the matrix.";
  if (result.status == Status::stopped_by_observer || interrupt_requested())
    return "It was not computed, since the run was interrupted.";
  return std::nullopt;
}

template <class T>
std::optional<std::string> obstacle_to_bound(const Input<T>& input, const Result<T>& result, bool wanted) {
  if (!wanted) return "It was not asked for, or --memory limits what may be held.";
  if (auto reason = obstacle(input, result)) return reason;
  const Data<T>& M = *input.matrix.data;
  const double flops = best_rank_flops(M.rows(), M.cols(), M.nonzeros(), result.W.cols());
  const double run = result.trace.empty() ? 0 : result.trace.back().flops;
  if (flops > kFewFlops && flops > kLargestShare * run)
    return "It was not computed, since it would take more than a tenth of the work of this short run.";
  return std::nullopt;
}

}  // namespace

template <class T>
void describe_bound(Json& description, const Input<T>& input, const Result<T>& result, bool wanted) {
  auto reason = obstacle_to_bound(input, result, wanted);
  Json& bound = description["best_rank_error"] = nullptr;
  if (!reason) {
    try {
      bound = best_rank_error(*input.matrix.data, result, result.effective.threads, throw_if_interrupted);
    } catch (const Interrupted&) {
      reason = "It was not computed, since the program was interrupted.";
    }
  }
  if (reason) description["best_rank_note"] = *reason;
}

template <class T>
Json judge_fit(const Input<T>& input, const Result<T>& result, const ReportLabels& labels) {
  if (obstacle(input, result)) return nullptr;
  try {
    return report::describe_fit(*input.matrix.data, result, labels, result.effective.threads,
                                throw_if_interrupted);
  } catch (const Interrupted&) {
    return nullptr;
  }
}

template void describe_bound(Json&, const Input<float>&, const Result<float>&, bool);
template void describe_bound(Json&, const Input<double>&, const Result<double>&, bool);
template Json judge_fit(const Input<float>&, const Result<float>&, const ReportLabels&);
template Json judge_fit(const Input<double>&, const Result<double>&, const ReportLabels&);

}  // namespace anmf::cli
