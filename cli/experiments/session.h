// SPDX-License-Identifier: MIT
// What anmf compare and anmf reproduce have in common: find the data, make the runs, write the document.
#pragma once

#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "experiments/document.h"

namespace anmf::cli {

/// The data sets of a session, each looked through once.
class DataLibrary {
 public:
  /// The file of a data set by its name, if it is there.
  using Locate = std::function<std::optional<std::filesystem::path>(const std::string&)>;

  explicit DataLibrary(Locate locate) : locate_(std::move(locate)) {}

  /// Null if there is no such file. Throws Failure(input) if it cannot be read.
  const DataSet* find(const std::string& name);

 private:
  Locate locate_;
  std::map<std::string, const DataSet*> known_;
  std::deque<DataSet> sets_;  // keeps its entries in place
};

/// The groups of an experiment with the data that are there; the names of the others go to `absent`.
/// Throws Failure(usage) if a rank is too large for its matrix or a group has no limit.
[[nodiscard]] std::vector<CaseGroup> resolve(const Experiment& experiment, DataLibrary& library,
                                             std::vector<std::string>& absent);

/// The folder of a comparison: runs/ and the documents.
class ComparisonFolder {
 public:
  /// Makes the folder; throws Failure(output) if that is impossible.
  explicit ComparisonFolder(std::filesystem::path path);

  [[nodiscard]] RunStore store() const { return RunStore(path_ / "runs"); }
  /// Writes comparison.json and the same as a page, report.html.
  void write(const Comparison& comparison) const;
  /// The one for people to open.
  [[nodiscard]] std::filesystem::path main_file() const;

 private:
  std::filesystem::path path_;
};

}  // namespace anmf::cli
