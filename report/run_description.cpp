// SPDX-License-Identifier: MIT
#include "run_description.h"

#include <nlohmann/json.hpp>
#include <optional>

#include "anmf/option_table.h"
#include "anmf/trace_columns.h"
#include "anmf/version.h"
#include "json_values.h"

namespace anmf::report {
namespace {

template <class Value>
Json to_json(const Value& value) {
  return value;
}
Json to_json(double value) { return number(value); }
template <class Value>
Json to_json(const std::optional<Value>& value) {
  return value ? to_json(*value) : Json(nullptr);
}

/// The values in force. What has no meaning for the method is null.
void describe_options(Json& json, const Options& given, const EffectiveOptions& effective) {
  const InnerStopMode mode = effective.inner_stop.mode;
  const bool has_both = mode == InnerStopMode::hybrid || mode == InnerStopMode::block;
  const bool has_budget = has_both || mode == InnerStopMode::fixed;
  const bool has_epsilon = has_both || mode == InnerStopMode::dynamic;
  const bool clamps = find_method(effective.method).rule.clamps;
  Options options = in_force(given, effective);
  if (!has_budget) options.alpha.reset();
  if (!has_epsilon) options.epsilon.reset();
  if (!clamps) options.delta.reset();
  for (const OptionInfo& option : option_table()) {
    json[option.key()] = with_value(option, options, [](const auto& value) { return to_json(value); });
  }
  json["beta"] = number(effective.beta);
  json["compressed_rank"] = effective.compressed_rank;
  json["compressed_iterations"] = effective.compressed_iterations;
  json["explorations"] = effective.explorations;
  json["lower_minima"] = effective.lower_minima;
}

template <class T>
void describe_outcome(Json& json, const Options& options, const Result<T>& result) {
  json["iterations"] = result.iterations;
  json["seconds"] = number(result.seconds);
  json["error"] = number(result.error);
  json["relative_error"] = number(result.relative_error);
  json["divergence"] = number(objective(result.error, 0));
  json["penalty"] = number(result.penalty);
  json["objective"] = number(objective(result.error, result.penalty));
  json["promised_decrease"] = number(result.promised_decrease);
  json["kkt"] = number(result.kkt);
  json["heldout_error"] = number(result.heldout_error);
  json["heldout_relative_error"] = number(result.heldout_relative_error);
  json["heldout_entries"] = result.heldout_entries;
  json["status"] = to_string(result.status);
  json["message"] = result.message;
  json["notes"] = result.notes;
  if (options.normalize != Normalize::none) {
    Json& scale = json["scale"] = Json::array();
    for (const double value : result.scale) scale.push_back(number(value));
  }
}

}  // namespace

std::string InputSummary::types(std::string_view precision) const {
  if (entry_type.empty() || entry_type == precision) return std::string(precision);
  return entry_type + ", computed in " + std::string(precision);
}

void describe_input(Json& json, const InputSummary& input, std::string_view precision) {
  json["input"] = input.name;
  json["rows"] = input.rows;
  json["cols"] = input.cols;
  // Zeros of a dense matrix are not counted, and its size is no number of nonzeros.
  json["nonzeros"] = is_dense(input.storage) ? Json(nullptr) : Json(input.nonzeros);
  json["storage"] = to_string(input.storage);
  if (!input.entry_type.empty()) json["entry_type"] = input.entry_type;
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
