// SPDX-License-Identifier: MIT
#include "factorization_report.h"

#include <string_view>

#include "anmf/trace_columns.h"
#include "anmf/version.h"
#include "component_report.h"
#include "factor_pictures.h"
#include "json_values.h"
#include "tall_view.h"

namespace anmf::report {
namespace {

constexpr Index kMapRows = 400;
constexpr std::size_t kTracePoints = 4000;  // more than a chart is wide

/// Every record, or of a long run those at even steps and the last: a list for each column.
Json describe_trace(const std::vector<IterationRecord>& trace) {
  Json json;
  const std::size_t step = 1 + trace.size() / kTracePoints;
  for (const TraceColumn& column : trace_columns()) {
    Json& list = json[std::string(column.name)] = Json::array();
    for (std::size_t k = 0; k < trace.size(); ++k) {
      if (k % step != 0 && k + 1 != trace.size()) continue;
      list.push_back(with_number(column, trace[k], [](auto value) { return number(value); }));
    }
  }
  return json;
}

/// What the tolerance of the run is compared with: a column of the trace. Null where the trace has none.
Json describe_measure(const Json& run) {
  const bool by_gradient = run.value("stop_rule", "") == "gradient";
  const std::string_view wanted = by_gradient ? "kkt" : "promised_decrease";
  for (const TraceColumn& column : trace_columns()) {
    if (column.name != wanted) continue;
    return {{"column", column.name},
            {"name", by_gradient ? "relative projected gradient" : "promised decrease"},
            {"meaning", column.meaning},
            {"tolerance", run.contains("tolerance") ? run["tolerance"] : Json(nullptr)}};
  }
  return nullptr;
}

template <class T>
Json describe_map(TallView<T> factor) {
  const HeatMap map = heat_map(factor, kMapRows);
  return {{"rows", map.rows},           {"cols", factor.cols},
          {"max", number(map.max)},     {"bins", map.rows < factor.rows},
          {"source_rows", factor.rows}, {"pixels", base64(map.pixels)}};
}

}  // namespace

template <class T>
Json factorization_report(const std::string& title, const std::string& command, const Json& run,
                          const Result<T>& result, const ReportLabels& labels, Json fit) {
  const TallFactors<T> factors = {tall(result.W), turned(result.H)};
  return {{"format", 1},
          {"kind", "factorization"},
          {"title", title},
          {"version", kVersion},
          {"command", command},
          {"run", run},
          {"trace", describe_trace(result.trace)},
          {"measure", describe_measure(run)},
          {"components", describe_components(factors, result.scale, labels)},
          {"top_side", name_of(labels.name_axis)},
          {"sample_side", name_of(labels.sample_axis())},
          {"groupings", labels.groupings.size()},
          {"images", describe_images(factors, labels)},
          {"curves", describe_curves(factors, labels)},
          {"fit", std::move(fit)},
          {"heatmaps", {{"W", describe_map(factors.W)}, {"H", describe_map(factors.Ht)}}}};
}

template Json factorization_report(const std::string&, const std::string&, const Json&, const Result<float>&,
                                   const ReportLabels&, Json);
template Json factorization_report(const std::string&, const std::string&, const Json&, const Result<double>&,
                                   const ReportLabels&, Json);

}  // namespace anmf::report
