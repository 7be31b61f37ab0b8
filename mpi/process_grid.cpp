// SPDX-License-Identifier: MIT
#include "anmf/mpi/process_grid.h"

#include <cmath>
#include <limits>

#include "anmf/shares.h"

namespace anmf::mpi {
namespace {

// Vectors up to 8 kB are added by recursive doubling, longer ones by a reduce-scatter and an all-gather.
constexpr double kShortSum = 1024;

double rounds(Index ranks) { return std::ceil(std::log2(static_cast<double>(ranks))); }

double others_share(Index ranks) { return static_cast<double>(ranks - 1) / static_cast<double>(ranks); }

/// The longest share.
double longest(Index rows, Index parts) { return static_cast<double>(row_share({0, rows}, parts, 0).count); }

IterationCost operator+(const IterationCost& a, const IterationCost& b) {
  return {a.flops + b.flops, a.words + b.words, a.messages + b.messages};
}

IterationCost operator*(double times, const IterationCost& cost) {
  return {times * cost.flops, times * cost.words, times * cost.messages};
}

}  // namespace

RowRange block_rows(const ProcessGrid& grid, Index m, Index rank) {
  return row_share({0, m}, grid.rows, grid.row_of(rank));
}

RowRange block_cols(const ProcessGrid& grid, Index n, Index rank) {
  return row_share({0, n}, grid.cols, grid.col_of(rank));
}

RowRange owned_rows(const ProcessGrid& grid, Side side, Index m, Index n, Index rank) {
  return side == Side::W ? row_share(block_rows(grid, m, rank), grid.cols, grid.col_of(rank))
                         : row_share(block_cols(grid, n, rank), grid.rows, grid.row_of(rank));
}

IterationCost all_gather_cost(Index ranks, double words) {
  return {.words = others_share(ranks) * words, .messages = rounds(ranks)};
}

IterationCost reduce_scatter_cost(Index ranks, double words) { return all_gather_cost(ranks, words); }

IterationCost all_reduce_cost(Index ranks, double words) {
  if (words <= kShortSum) return {.words = rounds(ranks) * words, .messages = rounds(ranks)};
  return {.words = 2 * others_share(ranks) * words, .messages = 2 * rounds(ranks)};
}

IterationCost iteration_cost(const ProcessGrid& grid, const ProblemSize& problem, const IterationSums& sums) {
  const auto r = static_cast<double>(problem.rank);
  const double rows = longest(problem.rows, grid.rows);
  const double cols = longest(problem.cols, grid.cols);
  const double density = static_cast<double>(problem.nonzeros) / static_cast<double>(problem.rows) /
                         static_cast<double>(problem.cols);
  const IterationCost products = {.flops = 4 * density * rows * cols * r};
  const IterationCost gram = all_reduce_cost(grid.ranks(), r * (r + 1) / 2);
  const IterationCost numbers = all_reduce_cost(grid.ranks(), 2);
  return products + all_gather_cost(grid.rows, cols * r) + reduce_scatter_cost(grid.cols, rows * r) +
         all_gather_cost(grid.cols, rows * r) + reduce_scatter_cost(grid.rows, cols * r) + sums.grams * gram +
         sums.numbers * numbers;
}

IterationCost lines_cost(Index ranks, const ProblemSize& problem, const LineSums& sums) {
  const auto r = static_cast<double>(problem.rank);
  const auto rows = static_cast<double>(problem.rows);
  const auto cols = static_cast<double>(problem.cols);
  const auto K = static_cast<double>(problem.nonzeros);
  const double shares = longest(problem.rows, ranks) / rows + longest(problem.cols, ranks) / cols;
  IterationCost cost = IterationCost{.flops = 2 * K * r * shares} + all_gather_cost(ranks, rows * r) +
                       all_gather_cost(ranks, cols * r) + sums.columns * all_reduce_cost(ranks, 2 * r) +
                       sums.numbers * all_reduce_cost(ranks, 2);
  if (sums.curvatures)
    cost = cost + all_reduce_cost(ranks, 2 * rows + 2) + all_reduce_cost(ranks, 2 * cols + 2);
  return cost;
}

ProcessGrid choose_grid(Index ranks, const ProblemSize& problem, const MachineModel& machine) {
  ProcessGrid best;
  double best_seconds = std::numeric_limits<double>::infinity();
  for (Index p = 1; p <= ranks; ++p) {
    if (ranks % p != 0) continue;
    const ProcessGrid grid{p, ranks / p};
    const double seconds = machine.seconds(iteration_cost(grid, problem));
    if (seconds < best_seconds) {
      best = grid;
      best_seconds = seconds;
    }
  }
  return best;
}

}  // namespace anmf::mpi
