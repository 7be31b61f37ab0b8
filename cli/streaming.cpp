// SPDX-License-Identifier: MIT
#include "streaming.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "anmf/estimate.h"
#include "anmf/stream.h"
#include "bytes.h"
#include "entries.h"
#include "estimate.h"
#include "failure.h"
#include "option_helpers.h"

namespace anmf::cli {
namespace {

using Json = nlohmann::ordered_json;

/// Larger blocks are not read any faster.
constexpr double kLargestBlock = 128e6;
/// Blocks at once: those that are read ahead, the room in which a reader works, and one that a part is cut
/// from.
constexpr double kBlocksAtOnce = static_cast<double>(kBlocksInMemory) + 2;

/// Those of a dense matrix are alike but for the last, and may be too many to look at each.
double largest_block_bytes(const auto& source) {
  double most = 0;
  const Index differing = source.sparse() ? source.blocks() : 1;
  for (Index block = 0; block < differing; ++block) most = std::max(most, source.bytes_in_memory(block));
  return most;
}

/// Of a source that has all of the matrix in one block.
template <class T>
double matrix_bytes(const BlockSource<T>& source, Index nonzeros) {
  if (!source.sparse()) return source.bytes_in_memory(0);
  return sparse_matrix_bytes<T>(source.rows(), source.cols(), static_cast<double>(nonzeros));
}

void refuse_options(const InputArguments& input) {
  if (!input.rows && !input.columns) return;
  throw Failure(ExitCode::usage,
                fmt::format("{} does not go with a matrix that --memory keeps on disk; anmf convert writes a "
                            "file to choose from in memory.",
                            input.rows ? "--rows" : "--columns"));
}

/// `enough` is the least limit that would do, `smaller` what else would take less.
[[noreturn]] void fail_too_small(const std::string& file, double limit, double factors, double blocks,
                                 double enough, std::string_view smaller) {
  throw Failure(
      ExitCode::usage,
      fmt::format(
          "--memory {} is too little for '{}': the factors and what goes with them take {}, and blocks "
          "of 48 rows or columns {} more. {}, --precision float32 or a limit of {} would do.",
          format_bytes(limit), file, format_bytes(factors), format_bytes(blocks), smaller,
          recommended_limit(enough)));
}

}  // namespace

void add_memory(CLI::App& app, std::optional<double>& limit) {
  add_text(
      app, "--memory",
      [&limit](const std::string& text) {
        limit = parse_bytes(text);
        if (!limit) {
          throw CLI::ValidationError(
              fmt::format("--memory must be a number of bytes such as 2G, 500M or 1.5Gi, not '{}'", text));
        }
      },
      wrapped(
          "Stay below this memory, as in 2G or 500M (powers of 1000; 2Gi of 1024): a matrix that does not "
          "fit stays in its file (.npy, .anmf, .h5ad, .h5) and is read anew in every iteration "
          "(default: the matrix is in memory)"),
      "LIMIT");
}

std::string recommended_limit(double bytes) { return format_bytes(1.02 * bytes); }

template <class T>
std::optional<StreamPlan> plan_stream(const InputArguments& input, const PlannedRun& run,
                                      const MemoryBudget& memory, const BlockSource<T>& whole,
                                      const OpenBlocks<T>& open) {
  const double limit = memory.bytes();
  RunExtras extras = memory.extras;
  const auto peak = [&](double matrix_bytes) {
    return estimate_run<T>(run, matrix_bytes, extras).peak_bytes;
  };
  const auto parts = static_cast<double>(memory.parts);
  const double in_memory = peak(parts * matrix_bytes(whole, run.nonzeros));
  if (in_memory <= limit) return std::nullopt;
  extras.judged = false;
  refuse_options(input);
  const double fixed = peak(parts * streamed_bytes(whole.rows(), whole.cols()));
  // Losses that look at entries turn a sparse block of columns into rows.
  const double turned = beta_of(run.options.loss) == 2 || !whole.sparse() ? 0 : 1;
  const double at_once = parts * (kBlocksAtOnce + turned);
  const double least = largest_block_bytes(*open(0));
  const double streamed = fixed + at_once * least;
  if (streamed > limit) {
    fail_too_small(input.file, limit, fixed, at_once * least, std::min(streamed, in_memory),
                   extras.instead ? "Fewer --consensus-rows, smaller --ranks" : "A smaller --rank");
  }
  StreamPlan plan;
  plan.block_bytes = std::min(kLargestBlock, (limit - fixed) / at_once);
  const auto source = open(plan.block_bytes);
  plan.pass_bytes = total_bytes(*source);
  plan.blocks = source->blocks();
  plan.peak_bytes = fixed + at_once * plan.block_bytes;
  plan.sparse = source->sparse();
  return plan;
}

template <class T>
std::optional<std::string> note_on_order(const Data<T>& M, const PlannedRun& run) {
  const std::optional<Side> side = M.pass_side(run.options.rank, ThreadPool(1));
  if (!side) return std::nullopt;
  const auto reads_once = [&](Side first) {
    Options options = run.options;
    options.first = first;
    return updates_while_reading(options, *side);
  };
  if (reads_once(run.options.first) || !reads_once(*side)) return std::nullopt;
  const bool by_rows = *side == Side::W;
  return fmt::format(
      "The file is read twice in every iteration, since its blocks are {} of M and {} comes first; "
      "--first {} would read it once.",
      by_rows ? "rows" : "columns", by_rows ? "H" : "W", by_rows ? "W" : "H");
}

Json describe_stream(const StreamStatistics& statistics, const StreamPlan& plan) {
  Json json;
  json["passes"] = statistics.passes;
  json["bytes"] = statistics.bytes;
  json["block_bytes"] = plan.block_bytes;
  json["blocks"] = plan.blocks;
  json["seconds"] = statistics.pass_seconds;
  json["waiting_seconds"] = statistics.waiting_seconds;
  json["reading_seconds"] = statistics.reading_seconds;
  json["bytes_per_second"] = statistics.bytes / statistics.pass_seconds;
  json["reading_bytes_per_second"] = statistics.bytes / statistics.reading_seconds;
  // During a pass one thread reads or waits for room, and another one waits for a block or computes.
  const double computing = statistics.pass_seconds - statistics.waiting_seconds;
  json["bound_by"] = statistics.reading_seconds > computing ? "disk" : "compute";
  return json;
}

std::string summarize_stream(const Json& stream) {
  const auto bytes = [&](const char* name) { return format_bytes(stream[name].get<double>()); };
  const bool disk = stream["bound_by"] == "disk";
  return fmt::format("{} passes over the file, {} read at {}/s, bound by {} {}/s",
                     stream["passes"].get<Index>(), bytes("bytes"), bytes("bytes_per_second"),
                     disk ? "the disk, which gives" : "the computation; the disk gives",
                     bytes("reading_bytes_per_second"));
}

template std::optional<StreamPlan> plan_stream(const InputArguments&, const PlannedRun&, const MemoryBudget&,
                                               const BlockSource<float>&, const OpenBlocks<float>&);
template std::optional<StreamPlan> plan_stream(const InputArguments&, const PlannedRun&, const MemoryBudget&,
                                               const BlockSource<double>&, const OpenBlocks<double>&);
template std::optional<std::string> note_on_order(const Data<float>&, const PlannedRun&);
template std::optional<std::string> note_on_order(const Data<double>&, const PlannedRun&);

}  // namespace anmf::cli
