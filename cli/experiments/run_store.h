// SPDX-License-Identifier: MIT
// Every run of a comparison as a small file of its own, so that a comparison that was killed goes on where it
// was, and figures that need the same run share it.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "experiments/curves.h"
#include "experiments/data_set.h"
#include "experiments/experiment.h"

namespace anmf::cli {

/// One run to be made.
struct RunSpec {
  const DataSet* data = nullptr;
  Index rank = 0;
  Variant variant;
  std::uint64_t seed = 0;  ///< alone decides the start
  Limit limit;
};

/// A run that is there. `jobs` is how many were running side by side, which its seconds may show.
struct Run {
  Trace trace;
  int jobs = 1;
};

/// Everything that decides the outcome of a run.
[[nodiscard]] nlohmann::ordered_json run_key(const RunSpec& spec);
/// "orl-r30-hals-s0-0123456789abcdef.json"; the digits stand for the whole key.
[[nodiscard]] std::string run_file_name(const RunSpec& spec);

class RunStore {
 public:
  explicit RunStore(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// The run if it is there and whole. A file that is damaged or belongs to something else does not count.
  [[nodiscard]] std::optional<Run> find(const RunSpec& spec) const;
  /// Throws IoError.
  void keep(const RunSpec& spec, const Run& run) const;

 private:
  std::filesystem::path folder_;
};

}  // namespace anmf::cli
