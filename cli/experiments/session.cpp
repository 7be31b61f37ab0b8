// SPDX-License-Identifier: MIT
#include "experiments/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ostream>

#include "failure.h"
#include "output_folder.h"
#include "report_page.h"

namespace anmf::cli {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kDocumentFile = "comparison.json";

}  // namespace

const DataSet* DataLibrary::find(const std::string& name) {
  const auto known = known_.find(name);
  if (known != known_.end()) return known->second;
  const std::optional<fs::path> path = locate_(name);
  const DataSet* found = nullptr;
  if (path) {
    found = &sets_.emplace_back(in_phase(
        ExitCode::input, [&] { return inspect(data_name(name), *path); },
        [&] { return fmt::format(" for the matrix in '{}'.", path->string()); }));
  }
  return known_[name] = found;
}

std::vector<CaseGroup> resolve(const Experiment& experiment, DataLibrary& library,
                               std::vector<std::string>& absent) {
  std::vector<CaseGroup> groups;
  for (const DataGroup& group : experiment.groups) {
    CaseGroup& resolved = groups.emplace_back(CaseGroup{.title = group.title});
    if (experiment.kind == ExperimentKind::traces && !std::isfinite(group.limit.seconds) &&
        !std::isfinite(group.limit.work)) {
      throw Failure(ExitCode::usage, fmt::format("{}: the runs on {} have no limit; give seconds or work.",
                                                 experiment.id, fmt::join(group.data, ", ")));
    }
    for (const std::string& name : group.data) {
      const DataSet* data = library.find(name);
      if (data == nullptr) {
        if (std::find(absent.begin(), absent.end(), name) == absent.end()) absent.push_back(name);
        continue;
      }
      for (const Index rank : group.ranks) {
        const Index most = std::min(data->rows, data->cols);
        if (rank > most) {
          throw Failure(ExitCode::usage,
                        fmt::format("{}: rank {} is too large for {} ({} x {}); it must be at most {}.",
                                    experiment.id, rank, data->name, data->rows, data->cols, most));
        }
        resolved.cases.push_back({.data = data, .rank = rank, .limit = group.limit});
      }
    }
    if (resolved.title.empty()) resolved.title = fmt::format("{}", fmt::join(group.data, ", "));
  }
  return groups;
}

ComparisonFolder::ComparisonFolder(fs::path path) : path_(std::move(path)) {
  constexpr std::array<std::string_view, 2> kFiles = {kDocumentFile, report::kReportFile};
  const OutputFolder writable(path_, kFiles);
  std::error_code error;
  fs::create_directories(path_ / "runs", error);
  if (error) {
    throw Failure(ExitCode::output, fmt::format("cannot write to the folder '{}': {}; choose another --out.",
                                                (path_ / "runs").string(), error.message()));
  }
}

void ComparisonFolder::write(const Comparison& comparison) const {
  const nlohmann::ordered_json json = document(comparison);
  const std::string text = json.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  in_phase(ExitCode::output, [&] {
    io::write_atomically(path_ / kDocumentFile, [&](std::ostream& out) { out << text << '\n'; });
    if (!report::has_report_page()) return;
    io::write_atomically(path_ / report::kReportFile,
                         [&](std::ostream& out) { out << report::report_page(json); });
  });
}

fs::path ComparisonFolder::main_file() const {
  return path_ / (report::has_report_page() ? report::kReportFile : kDocumentFile);
}

}  // namespace anmf::cli
