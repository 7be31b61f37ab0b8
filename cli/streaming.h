// SPDX-License-Identifier: MIT
// --memory LIMIT: a matrix that does not fit into it stays in its file and is read anew in every pass.
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "anmf/options.h"
#include "anmf/stream.h"
#include "estimate.h"
#include "input.h"

namespace CLI {
class App;
}

namespace anmf::cli {

/// Adds --memory. `limit` must outlive the parsing.
void add_memory(CLI::App& app, std::optional<double>& limit);

/// The memory that a run may take, and what of it goes to other things than M and the solver.
struct MemoryBudget {
  std::optional<double> limit;  ///< none: M is in memory
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

/// Nothing if the run fits into the limit with the matrix in memory, or the format cannot be streamed. Throws
/// Failure if it fits in neither way, or if an option does not go with streaming.
template <class T>
[[nodiscard]] std::optional<StreamPlan> plan_stream(const InputArguments& input, const Options& options,
                                                    const MemoryBudget& memory);

/// The same for what `open` opens, of about so many nonzeros.
template <class T>
[[nodiscard]] std::optional<StreamPlan> plan_stream(const InputArguments& input, const Options& options,
                                                    const MemoryBudget& memory, const OpenBlocks<T>& open,
                                                    Index nonzeros);

/// The matrix in memory, or on disk if the limit asks for that. Throws Failure if its format cannot be
/// streamed and it does not fit.
template <class T>
[[nodiscard]] Input<T> open_input(const InputArguments& input, const ReportArguments& report,
                                  const Options& options, const MemoryBudget& memory);

/// A note if the method would read the file once in every iteration, and not twice, with the other factor
/// first.
template <class T>
[[nodiscard]] std::optional<std::string> note_on_order(const Data<T>& M, const Options& options);

/// The object `stream` of run.json.
[[nodiscard]] nlohmann::ordered_json describe_stream(const StreamStatistics& statistics,
                                                     const StreamPlan& plan);

/// "12 passes over the file, 3.6 GB read at 2.6 GB/s, bound by the disk, which gives 2.7 GB/s".
[[nodiscard]] std::string summarize_stream(const nlohmann::ordered_json& stream);

}  // namespace anmf::cli
