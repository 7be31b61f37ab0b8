// SPDX-License-Identifier: MIT
#include "streaming.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "data/read_ahead.h"
#include "entries.h"
#include "estimate.h"
#include "failure.h"
#include "io/stored_sizes.h"
#include "option_helpers.h"
#include "outer/inner_stop.h"
#include "outer/plan.h"

namespace anmf::cli {
namespace {

using Json = nlohmann::ordered_json;

/// Larger blocks are not read any faster.
constexpr double kLargestBlock = 128e6;
/// Nothing is larger: no limit, or the matrix in one block.
constexpr double kWhole = 1e300;
/// Blocks at once: those that are read ahead, the room in which a reader works, and one that a part is cut
/// from.
constexpr double kBlocksAtOnce = static_cast<double>(kBlocksInMemory) + 2;

double parse_bytes(const std::string& text) {
  constexpr std::string_view kLetters = "KMGT";
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  std::string_view unit(stop, static_cast<std::size_t>(end - stop));
  if (unit.ends_with('B')) unit.remove_suffix(1);
  double base = 1000;
  if (unit.size() == 2 && unit[1] == 'i') {
    base = 1024;
    unit.remove_suffix(1);
  }
  const std::size_t power = unit.empty() ? 0 : kLetters.find(unit) + 1;  // 0 if not found, too
  const bool good = error == std::errc{} && value > 0 && value < 1e18 && base * value > 0 &&
                    (unit.empty() ? base == 1000 : unit.size() == 1 && power > 0);
  if (!good) {
    throw CLI::ValidationError(
        fmt::format("--memory must be a number of bytes such as 2G, 500M or 1.5Gi, not '{}'", text));
  }
  for (std::size_t k = 0; k < power; ++k) value *= base;
  return value;
}

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

double limit_of(const MemoryBudget& memory) { return memory.limit.value_or(kWhole); }

/// A limit that is enough also with the digits that are printed.
std::string recommended(double bytes) { return format_bytes(1.02 * bytes); }

[[noreturn]] void fail_not_in_blocks(const std::string& file, double limit, double needed, bool sparse) {
  throw Failure(
      ExitCode::usage,
      fmt::format("--memory {} is too little for '{}', which needs about {} and cannot be read in blocks; "
                  "anmf convert '{}' M{} makes a file that can. A limit of {} would do.",
                  format_bytes(limit), file, format_bytes(needed), file, sparse ? ".anmf" : ".npy",
                  recommended(needed)));
}

/// Refuses a matrix whose format cannot be streamed before it is read, if the file tells its size.
template <class T>
void expect_room_to_read(const InputArguments& input, const Options& options, const MemoryBudget& memory) {
  const auto sizes = with_header_advice([&] { return io::stored_sizes<T>(input.file, input.header); });
  if (!sizes) return;
  const auto entries = static_cast<double>(sizes->entries);
  const double bytes = sizes->sparse ? sparse_matrix_bytes<T>(sizes->rows, sizes->cols, entries)
                                     : entries * static_cast<double>(sizes->entry_bytes);
  // Of factors that belong to some rows or columns only, the size is not known yet.
  const bool all = !input.rows && !input.columns;
  const double needed =
      all ? estimate_run<T>(sizes->rows, sizes->cols, sizes->entries, bytes, options, memory.extras)
                .peak_bytes
          : bytes;
  if (needed > limit_of(memory)) fail_not_in_blocks(input.file, limit_of(memory), needed, sizes->sparse);
}

/// The same once it has been read.
template <class T>
void expect_within(const Input<T>& input, const std::string& file, const Options& options,
                   const MemoryBudget& memory) {
  const double peak = estimate_run(input, options, memory.extras).peak_bytes;
  if (peak > limit_of(memory))
    fail_not_in_blocks(file, limit_of(memory), peak, is_sparse(input.matrix.data->storage()));
}

/// `enough` is the least limit that would do.
[[noreturn]] void fail_too_small(const std::string& file, double limit, double factors, double blocks,
                                 double enough) {
  throw Failure(
      ExitCode::usage,
      fmt::format(
          "--memory {} is too little for '{}': the factors and what goes with them take {}, and blocks "
          "of 48 rows or columns {} more. A smaller --rank, --precision float32 or a limit of {} would "
          "do.",
          format_bytes(limit), file, format_bytes(factors), format_bytes(blocks), recommended(enough)));
}

}  // namespace

void add_memory(CLI::App& app, std::optional<double>& limit) {
  add_text(
      app, "--memory", [&limit](const std::string& text) { limit = parse_bytes(text); },
      wrapped(
          "Stay below this memory, as in 2G or 500M (powers of 1000; 2Gi of 1024): a matrix that does not "
          "fit stays in its file (.npy, .anmf, .h5ad, .h5) and is read anew in every iteration "
          "(default: the matrix is in memory)"),
      "LIMIT");
}

template <class T>
std::optional<StreamPlan> plan_stream(const InputArguments& input, const Options& options,
                                      const MemoryBudget& memory) {
  const OpenBlocks<T> open = [&](double most_bytes) {
    return io::open_blocks<T>(input.file, most_bytes, input.negative);
  };
  const auto source = open(kWhole);
  if (!source) {
    expect_room_to_read<T>(input, options, memory);
    return std::nullopt;
  }
  MemoryBudget with_file = memory;
  with_file.extras.add(io::read_annotations(input.file));
  return plan_stream(input, options, with_file, open, source->nonzeros());
}

template <class T>
std::optional<StreamPlan> plan_stream(const InputArguments& input, const Options& options,
                                      const MemoryBudget& memory, const OpenBlocks<T>& open, Index nonzeros) {
  const double limit = limit_of(memory);
  const auto whole = open(kWhole);
  const Index rows = input.transpose ? whole->cols() : whole->rows();
  const Index cols = input.transpose ? whole->rows() : whole->cols();
  const auto peak = [&](double matrix_bytes) {
    return estimate_run<T>(rows, cols, nonzeros, matrix_bytes, options, memory.extras).peak_bytes;
  };
  const double in_memory = peak(matrix_bytes(*whole, nonzeros));
  if (in_memory <= limit) return std::nullopt;
  refuse_options(input);
  const double fixed = peak(streamed_bytes(rows, cols));
  const double least = largest_block_bytes(*open(0));
  const double streamed = fixed + kBlocksAtOnce * least;
  if (streamed > limit)
    fail_too_small(input.file, limit, fixed, kBlocksAtOnce * least, std::min(streamed, in_memory));
  StreamPlan plan;
  plan.block_bytes = std::min(kLargestBlock, (limit - fixed) / kBlocksAtOnce);
  const auto source = open(plan.block_bytes);
  plan.pass_bytes = total_bytes(*source);
  plan.blocks = source->blocks();
  plan.peak_bytes = fixed + kBlocksAtOnce * plan.block_bytes;
  plan.rows = source->rows();
  plan.cols = source->cols();
  plan.nonzeros = nonzeros;
  plan.sparse = source->sparse();
  return plan;
}

template <class T>
Input<T> open_input(const InputArguments& input, const ReportArguments& report, const Options& options,
                    const MemoryBudget& memory) {
  if (!memory.limit) return read_input<T>(input, report, OnDisk::possible);
  const auto plan = in_phase(ExitCode::input, [&] { return plan_stream<T>(input, options, memory); });
  return_memory_early();
  if (plan) return stream_input<T>(input, report, *plan);
  Input<T> whole = read_input<T>(input, report);
  expect_within(whole, input.file, options, memory);
  return whole;
}

template <class T>
std::optional<std::string> note_on_order(const Data<T>& M, const Options& options) {
  const std::optional<anmf::Side> side = M.pass_side(options.rank, ThreadPool(1));
  const Plan plan = make_plan<T>(options, M.rows(), M.cols(), M.nonzeros());
  // The other methods read once in either order, or twice.
  const bool depends = plan.method.extrapolated &&
                       (plan.inner_stop.mode == InnerStopMode::block || single_sweep(plan.inner_stop));
  if (!side || *side == options.first || !depends) return std::nullopt;
  const bool by_rows = *side == anmf::Side::W;
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

template std::optional<StreamPlan> plan_stream<float>(const InputArguments&, const Options&,
                                                      const MemoryBudget&);
template std::optional<StreamPlan> plan_stream<double>(const InputArguments&, const Options&,
                                                       const MemoryBudget&);
template std::optional<StreamPlan> plan_stream(const InputArguments&, const Options&, const MemoryBudget&,
                                               const OpenBlocks<float>&, Index);
template std::optional<StreamPlan> plan_stream(const InputArguments&, const Options&, const MemoryBudget&,
                                               const OpenBlocks<double>&, Index);
template Input<float> open_input(const InputArguments&, const ReportArguments&, const Options&,
                                 const MemoryBudget&);
template Input<double> open_input(const InputArguments&, const ReportArguments&, const Options&,
                                  const MemoryBudget&);
template std::optional<std::string> note_on_order(const Data<float>&, const Options&);
template std::optional<std::string> note_on_order(const Data<double>&, const Options&);

}  // namespace anmf::cli
