// SPDX-License-Identifier: MIT
// What to compare, as an experiment file says it (docs/cli.md has the format).
#pragma once

#include <filesystem>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/variant.h"

namespace anmf::cli {

/// A run ends at whichever comes first.
struct Limit {
  double seconds = std::numeric_limits<double>::infinity();  ///< of solver time
  double work = std::numeric_limits<double>::infinity();     ///< in flops of plain HALS outer iterations
};

/// Data sets that share ranks and a limit.
struct DataGroup {
  std::string title;  ///< of the panel that averages over them
  std::vector<std::string> data;
  std::vector<Index> ranks;
  Limit limit;
};

/// A row of one of the paper's tables; both ranks in order.
struct TableRow {
  std::string data;
  Index rows = 0;
  Index cols = 0;
  Index nonzeros = 0;
  std::vector<Index> ranks;
  std::vector<Index> printed_rho_w;
  std::vector<Index> printed_rho_h;
  std::vector<Index> ranks_behind;  ///< the ranks that the printed numbers belong to
  std::string source;               ///< where to get the data
};

enum class ExperimentKind {
  traces,     ///< methods from the same starts: error over time
  half_step,  ///< inner iterations of one half-step against its exact solution
  table,
};

struct Experiment {
  std::string id;
  std::string title;
  std::string caption;
  ExperimentKind kind = ExperimentKind::traces;
  std::string loss = "frobenius";  ///< that all methods minimise
  bool pooled = false;             ///< one panel per group, averaged over its data sets and ranks
  int starts = 1;
  std::uint64_t seed = 0;
  std::vector<DataGroup> groups;
  std::vector<Variant> variants;
  std::vector<Index> outer_iterations;  ///< half_step: the half-steps that follow these
  bool exchanged_columns = false;       ///< table: rho_W and rho_H stand in each other's column
  std::vector<TableRow> table;
  std::vector<std::string> notes;
};

/// Gives every variant the loss of the experiment. Throws InvalidInput, with those that can, if one of them
/// cannot minimise it.
void set_loss(Experiment& experiment, const std::string& loss);

enum class Scope { full, quick };

/// Reads an experiment from TOML text. With the quick scope keys that begin with `quick_` replace their
/// namesakes, and rho is counted, so that the results do not depend on the machine. Throws InvalidInput that
/// names `name` and the line.
[[nodiscard]] Experiment parse_experiment(std::string_view text, const std::string& name, Scope scope);

/// The same from a file; throws IoError if it cannot be read.
[[nodiscard]] Experiment read_experiment(const std::filesystem::path& path, Scope scope);

struct EmbeddedFile {
  std::string_view name;
  std::string_view text;
};

/// The experiments of the paper, as they were in experiments/ when the program was built.
[[nodiscard]] std::vector<EmbeddedFile> embedded_experiments();

}  // namespace anmf::cli
