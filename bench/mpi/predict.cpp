// SPDX-License-Identifier: MIT
// The table "Predicted" of docs/scaling.md: the model of mpi/process_grid.cpp with the figures of a cluster
// that are named below, for matrices that no machine here holds. Writes a Markdown table to standard output.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "anmf/mpi/process_grid.h"

namespace {

using namespace anmf;
using namespace anmf::mpi;

// One rank per node.
constexpr double kSecondsPerMessage = 2e-6;
constexpr double kNetworkBytes = 12.5e9;  // out of a node, per second: 100 Gbit/s
constexpr double kDiskBytes = 3e9;        // read by a node, per second: one NVMe disk
constexpr double kDenseFlops = 500e9;     // of dense products and sweeps
constexpr double kSparseFlops = 50e9;     // of sparse products
constexpr double kSweeps = 10;            // per factor and iteration
constexpr double kReads = 2;              // of M per iteration: one for each product
constexpr double kFactorCopies = 6;       // of what a rank owns

struct Problem {
  const char* name;
  ProblemSize size;
  double entry_bytes;      // of M on disk
  double bytes_in_memory;  // of an entry
  double flops;            // of the products, per second
  bool whole_lines;        // a rank reads all of a row to have a part of it
};

/// Two digits.
std::string short_number(double x) { return x < 10 ? fmt::format("{:.2g}", x) : fmt::format("{:.0f}", x); }

void predict(const Problem& problem, Index nodes, const char* name) {
  const ProblemSize& size = problem.size;
  const ProcessGrid grid = choose_grid(nodes, size);
  const IterationCost cost = iteration_cost(grid, size);
  const auto P = static_cast<double>(nodes);
  const auto r = static_cast<double>(size.rank);
  const auto sides = static_cast<double>(size.rows + size.cols);
  const double entries = static_cast<double>(size.nonzeros) / P;
  const double gathered =
      static_cast<double>(block_rows(grid, size.rows, 0).count + block_cols(grid, size.cols, 0).count);
  const double memory =
      entries * problem.bytes_in_memory + sizeof(double) * r * (kFactorCopies * sides / P + gathered);
  const double computing = cost.flops / problem.flops + (2 + 2 * kSweeps) * sides * r * r / P / kDenseFlops;
  const double talking = kSecondsPerMessage * cost.messages + sizeof(double) * cost.words / kNetworkBytes;
  const double disk_bytes =
      kReads * entries * problem.entry_bytes * (problem.whole_lines ? static_cast<double>(grid.cols) : 1.0);
  fmt::print("| {} | {} | {} x {} | {} | {} | {:.0f} | {} | {} | {:.0f} % | {} | {} |\n", name, nodes,
             grid.rows, grid.cols, short_number(memory / 1e9), short_number(cost.words / 1e6), cost.messages,
             short_number(1e3 * talking), short_number(computing + talking),
             100 * computing / (computing + talking), short_number(disk_bytes / 1e9),
             short_number(std::max(computing, disk_bytes / kDiskBytes) + talking));
}

}  // namespace

int main() {
  constexpr Index kRank = 50;
  const std::array<Problem, 2> problems = {
      {{.name = "dense 10⁶ x 2·10⁵, float32 entries",
        .size = {.rows = 1'000'000, .cols = 200'000, .nonzeros = 200'000'000'000, .rank = kRank},
        .entry_bytes = 4,
        .bytes_in_memory = 4,
        .flops = kDenseFlops,
        .whole_lines = false},
       {.name = "sparse 10⁸ x 10⁷, 10¹⁰ nonzeros",
        .size = {.rows = 100'000'000, .cols = 10'000'000, .nonzeros = 10'000'000'000, .rank = kRank},
        .entry_bytes = 5,       // counts below 256 in a container
        .bytes_in_memory = 24,  // twice a double and a position
        .flops = kSparseFlops,
        .whole_lines = true}}};
  fmt::print(
      "| matrix | nodes | grid | GB a node | 10⁶ words | messages | ms in messages | s an iteration | "
      "computing | GB "
      "from disk | s from disk |\n|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (const Problem& problem : problems) {
    for (Index nodes = 16; nodes <= 4096; nodes *= 4)
      predict(problem, nodes, nodes == 16 ? problem.name : "");
  }
}
