// SPDX-License-Identifier: MIT
// --memory LIMIT: a matrix that does not fit into it stays in its file and is read anew in every pass.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "anmf/options.h"
#include "anmf/stream.h"
#include "input.h"

namespace CLI {
class App;
}

namespace anmf::cli {

/// How a matrix is streamed within a limit.
struct StreamPlan {
  double block_bytes = 0;  ///< of a block in memory, at most
  double pass_bytes = 0;   ///< read from the file in every pass
  Index blocks = 0;
  double peak_bytes = 0;  ///< of the whole program
  Index rows = 0;         ///< of the file
  Index cols = 0;
  Index nonzeros = 0;
  bool sparse = false;
};

/// Adds --memory. `limit` must outlive the parsing.
void add_memory(CLI::App& app, std::optional<double>& limit);

/// Nothing if the run fits into `limit` with the matrix in memory. Throws Failure if it fits in neither way,
/// or if an option does not go with streaming.
template <class T>
[[nodiscard]] std::optional<StreamPlan> plan_stream(const InputArguments& input, const Options& options,
                                                    double limit);

/// For a matrix in memory whose format cannot be streamed.
template <class T>
void expect_within(const Input<T>& input, const std::string& file, const Options& options, double limit);

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
