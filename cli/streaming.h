// SPDX-License-Identifier: MIT
// --memory LIMIT: a matrix that does not fit into it stays in its file and is read anew in every pass.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "anmf/stream.h"
#include "estimate.h"
#include "input.h"
#include "planned_run.h"

namespace CLI {
class App;
}

namespace anmf::cli {

/// Adds --memory. `limit` must outlive the parsing.
void add_memory(CLI::App& app, std::optional<double>& limit);

/// The memory that a run may take, and what of it goes to other things than M and the solver.
struct MemoryBudget {
  std::optional<double> limit;  ///< bytes; without a limit, M is in memory
  [[nodiscard]] double bytes() const { return limit.value_or(std::numeric_limits<double>::infinity()); }
  /// How many matrices there are at a time, none larger than the one that is planned for: a process that
  /// shares M may have rows and columns of it.
  Index parts = 1;
  RunExtras extras;
};

/// Opens a matrix, or a part of one, in blocks of at most so many bytes.
template <class T>
using OpenBlocks = std::function<std::unique_ptr<BlockSource<T>>(double most_bytes)>;

/// What is read in a pass over all blocks.
template <class T>
[[nodiscard]] double total_bytes(const BlockSource<T>& source) {
  double sum = 0;
  for (Index block = 0; block < source.blocks(); ++block) sum += source.bytes(block);
  return sum;
}

/// Nothing is larger: all of a matrix in one block.
inline constexpr double kWholeMatrix = 1e300;

/// How the matrix that `open` opens is streamed within the limit, `whole` being all of it in one block. The
/// nonzeros of the run may be an estimate. Nothing if the run fits into the limit with the matrix in memory.
/// Throws Failure if it fits in neither way, or if an option does not go with a matrix on disk.
template <class T>
[[nodiscard]] std::optional<StreamPlan> plan_stream(const InputArguments& input, const PlannedRun& run,
                                                    const MemoryBudget& memory, const BlockSource<T>& whole,
                                                    const OpenBlocks<T>& open);

/// A limit that is enough also with the digits that are printed.
[[nodiscard]] std::string recommended_limit(double bytes);

/// A note if the method would read the file once in every iteration, and not twice, with the other factor
/// first.
template <class T>
[[nodiscard]] std::optional<std::string> note_on_order(const Data<T>& M, const PlannedRun& run);

/// The object `stream` of run.json.
[[nodiscard]] nlohmann::ordered_json describe_stream(const StreamStatistics& statistics,
                                                     const StreamPlan& plan);

/// "12 passes over the file, 3.6 GB read at 2.6 GB/s, bound by the disk, which gives 2.7 GB/s".
[[nodiscard]] std::string summarize_stream(const nlohmann::ordered_json& stream);

}  // namespace anmf::cli
