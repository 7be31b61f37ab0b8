// SPDX-License-Identifier: MIT
#include "run_description.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "anmf/version.h"

namespace anmf::report {
namespace {

using Json = nlohmann::ordered_json;  // people read the file, so its keys keep their order

/// JSON has no infinity and no NaN.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json number_if(bool in_force, double value) { return in_force ? number(value) : Json(nullptr); }

/// The values in force. What has no meaning for the method is null.
void describe_options(Json& json, const Options& options, const EffectiveOptions& effective) {
  const InnerStopMode mode = effective.inner_stop.mode;
  const bool has_both = mode == InnerStopMode::hybrid || mode == InnerStopMode::block;
  const bool has_budget = has_both || mode == InnerStopMode::fixed;
  const bool has_epsilon = has_both || mode == InnerStopMode::dynamic;
  const bool clamps = find_method(effective.method).rule == RuleKind::mu;
  json["method"] = effective.method;
  json["rank"] = options.rank;
  json["seed"] = options.seed;
  json["init"] = to_string(options.init);
  json["first"] = options.first == Side::W ? "W" : "H";
  json["shuffle"] = options.shuffle;
  json["revive"] = options.revive;
  json["threads"] = effective.threads;
  json["inner_stop"] = to_string(mode);
  json["alpha"] = number_if(has_budget, effective.inner_stop.alpha);
  json["epsilon"] = number_if(has_epsilon, effective.inner_stop.epsilon);
  json["delta"] = number_if(clamps, effective.delta);
  json["rho"] = to_string(options.rho);
  json["compress"] = to_string(options.compress);
  json["compressed_rank"] = effective.compressed_rank;
  json["compressed_iterations"] = effective.compressed_iterations;
  json["explore"] = to_string(options.explore);
  json["explorations"] = effective.explorations;
  json["lower_minima"] = effective.lower_minima;
  json["max_inner_iterations"] = options.max_inner_iterations;
  json["max_iterations"] = options.max_iterations;
  json["time_limit"] = number(options.time_limit);
  json["tolerance"] = number(options.tolerance);
  json["change_tolerance"] = number(options.change_tolerance);
  json["alpha_w"] = number(options.alpha_W);
  json["alpha_h"] = number(effective.alpha_H);
  json["l1_ratio"] = number(options.l1_ratio);
  json["normalize"] = to_string(options.normalize);
  json["sort_components"] = options.sort_components;
}

template <class T>
void describe_outcome(Json& json, const Options& options, const Result<T>& result) {
  json["iterations"] = result.iterations;
  json["seconds"] = number(result.seconds);
  json["error"] = number(result.error);
  json["relative_error"] = number(result.relative_error);
  json["penalty"] = number(result.penalty);
  json["kkt"] = number(result.kkt);
  json["status"] = to_string(result.status);
  json["message"] = result.message;
  json["notes"] = result.notes;
  if (options.normalize != Normalize::none) {
    Json& scale = json["scale"] = Json::array();
    for (const double value : result.scale) scale.push_back(number(value));
  }
}

}  // namespace

void describe_input(Json& json, const InputSummary& input, std::string_view precision) {
  json["input"] = input.name;
  json["rows"] = input.rows;
  json["cols"] = input.cols;
  json["nonzeros"] = input.nonzeros;
  json["storage"] = input.storage;
  json["precision"] = precision;
}

template <class T>
Json describe_run(const InputSummary& input, const Options& options, const Result<T>& result) {
  Json json;
  json["version"] = kVersion;
  describe_input(json, input, kPrecision<T>);
  describe_options(json, options, result.effective);
  describe_outcome(json, options, result);
  return json;
}

template Json describe_run(const InputSummary&, const Options&, const Result<float>&);
template Json describe_run(const InputSummary&, const Options&, const Result<double>&);

}  // namespace anmf::report
