// SPDX-License-Identifier: MIT
#include "run_folder.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <ostream>

#include "anmf/io.h"
#include "command_line.h"
#include "factorization_report.h"
#include "report_page.h"

namespace anmf::cli {
namespace {

using Json = nlohmann::ordered_json;  // people read the file, so its keys keep their order

/// "{}" prints the shortest text that reads back as the same number.
void write_trace(std::ostream& out, const std::vector<IterationRecord>& trace) {
  out << "iteration,seconds,flops,error,relative_error,inner_w,inner_h\n";
  for (const IterationRecord& record : trace) {
    out << fmt::format("{},{},{},{},{},{},{}\n", record.iteration, record.seconds, record.flops, record.error,
                       record.relative_error, record.inner_w, record.inner_h);
  }
}

}  // namespace

std::string json_text(const Json& json) {
  // A path need not be UTF-8, JSON must be; replacing odd bytes beats losing the run.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

void stage_json(OutputFolder& folder, std::string_view name, const Json& json) {
  const std::string text = json_text(json);
  io::write_atomically(folder.staged(name), [&](std::ostream& out) { out << text; });
}

template <class T>
void stage_run(OutputFolder& folder, const Json& run, const Result<T>& result) {
  io::write_npy<T>(folder.staged("W.npy"), result.W.view());
  io::write_npy<T>(folder.staged("H.npy"), result.H.view());
  io::write_atomically(folder.staged("trace.csv"),
                       [&](std::ostream& out) { write_trace(out, result.trace); });
  stage_json(folder, "run.json", run);
}

template <class T>
void stage_report(OutputFolder& folder, const std::string& title, const Json& run, const Result<T>& result,
                  const ReportLabels& labels) {
  const std::string page =
      report::report_page(report::factorization_report(title, command_line(), run, result, labels));
  io::write_atomically(folder.staged(report::kReportFile), [&](std::ostream& out) { out << page; });
}

template void stage_run(OutputFolder&, const Json&, const Result<float>&);
template void stage_run(OutputFolder&, const Json&, const Result<double>&);
template void stage_report(OutputFolder&, const std::string&, const Json&, const Result<float>&,
                           const ReportLabels&);
template void stage_report(OutputFolder&, const std::string&, const Json&, const Result<double>&,
                           const ReportLabels&);

}  // namespace anmf::cli
