// SPDX-License-Identifier: MIT
#include "run_folder.h"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <string>

#include "anmf/io.h"
#include "anmf/trace_columns.h"
#include "command_line.h"
#include "factorization_report.h"
#include "failure.h"
#include "report_page.h"

namespace anmf::cli {
namespace fs = std::filesystem;
namespace {

using Json = nlohmann::ordered_json;  // people read the file, so its keys keep their order

/// "{}" prints the shortest text that reads back as the same number.
void write_trace(std::ostream& out, const std::vector<IterationRecord>& trace) {
  std::string line;
  const auto write_line = [&](const auto& append) {
    line.clear();
    for (const TraceColumn& column : trace_columns()) {
      if (!line.empty()) line += ',';
      append(column);
    }
    out << line << '\n';
  };
  write_line([&](const TraceColumn& column) { line += column.name; });
  for (const IterationRecord& record : trace) {
    write_line([&](const TraceColumn& column) {
      with_number(column, record, [&](auto number) {
        if (std::isnan(static_cast<double>(number))) return;  // nobody has looked
        fmt::format_to(std::back_inserter(line), "{}", number);
      });
    });
  }
}

/// A run.json that speaks of a file beside it, or null.
Json description_with(const fs::path& folder, const std::string& name) {
  std::ifstream in(folder / kDescriptionFile, std::ios::binary);
  Json run = Json::parse(in, nullptr, /*allow_exceptions=*/false);
  if (!run.is_object() || !run.contains("files") || !run["files"].contains(name)) return nullptr;
  return run;
}

}  // namespace

fs::path file_of_run(const fs::path& given, std::string_view name) {
  std::error_code error;
  const bool is_run = fs::is_directory(given, error) &&
                      (fs::exists(given / kDescriptionFile, error) || fs::exists(given / name, error));
  const fs::path file = is_run ? given / name : given;
  const fs::path description = file.parent_path() / kDescriptionFile;
  const Json run = description_with(file.parent_path(), file.filename().string());
  std::optional<Json> expected;
  if (!run.is_null()) expected = run["files"][file.filename().string()];
  if (is_run && !expected) {
    throw Failure(ExitCode::input,
                  fmt::format("'{}' has no {} that speaks of {}, so its files may be of different runs: one "
                              "was ended while it wrote them. Run it again, or name the file '{}' itself.",
                              given.string(), kDescriptionFile, name, file.string()));
  }
  if (!expected) return file;
  if (const Json found = describe_file(file); found != *expected) {
    throw Failure(ExitCode::input,
                  fmt::format("'{}' is not the file that '{}' describes: it is {}, and should be {}. Run the "
                              "factorization again, or copy the file elsewhere to use it as it is.",
                              file.string(), description.string(), found.dump(), expected->dump()));
  }
  return file;
}

Json description_of_run(const fs::path& given) {
  std::error_code error;
  if (fs::is_directory(given, error)) return description_with(given, "H.npy");
  return description_with(given.parent_path(), given.filename().string());
}

template <class T>
void stage_run(OutputFolder& folder, const Result<T>& result) {
  io::write_npy<T>(folder.staged("W.npy"), result.W.view());
  io::write_npy<T>(folder.staged("H.npy"), result.H.view());
  io::write_atomically(folder.staged("trace.csv"),
                       [&](std::ostream& out) { write_trace(out, result.trace); });
}

template <class T>
bool stage_report(OutputFolder& folder, const std::string& title, const Json& run, const Result<T>& result,
                  const ReportLabels& labels, const Json& fit) {
  return folder.stage_extra(report::kReportFile, [&](const std::filesystem::path& path) {
    const std::string page =
        report::report_page(report::factorization_report(title, command_line(), run, result, labels, fit));
    io::write_atomically(path, [&](std::ostream& out) { out << page; });
  });
}

template void stage_run(OutputFolder&, const Result<float>&);
template void stage_run(OutputFolder&, const Result<double>&);
template bool stage_report(OutputFolder&, const std::string&, const Json&, const Result<float>&,
                           const ReportLabels&, const Json&);
template bool stage_report(OutputFolder&, const std::string&, const Json&, const Result<double>&,
                           const ReportLabels&, const Json&);

}  // namespace anmf::cli
