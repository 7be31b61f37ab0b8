// SPDX-License-Identifier: MIT
// How M (m x n) and its factors are spread over the ranks of a p x q grid. Rank (i, j) has the block of M
// whose rows are share i of p and whose columns are share j of q. The rows of W that belong to the rows of
// the grid's row i are shared by its q ranks, and those of H' of the grid's column j by its p ranks, so that
// every rank owns about 1 / (p q) of both factors.
#pragma once

#include "anmf/data.h"

namespace anmf::mpi {

struct ProcessGrid {
  Index rows = 1;  ///< p
  Index cols = 1;  ///< q

  [[nodiscard]] Index ranks() const { return rows * cols; }
  /// Ranks are counted along the rows of the grid.
  [[nodiscard]] Index row_of(Index rank) const { return rank / cols; }
  [[nodiscard]] Index col_of(Index rank) const { return rank % cols; }

  bool operator==(const ProcessGrid&) const = default;
};

/// The sizes of a problem, as far as communication depends on them.
struct ProblemSize {
  Index rows = 0;      ///< m
  Index cols = 0;      ///< n
  Index nonzeros = 0;  ///< K
  Index rank = 1;      ///< r, of the factorization
};

/// The rows and columns of M that a rank has.
[[nodiscard]] RowRange block_rows(const ProcessGrid& grid, Index m, Index rank);
[[nodiscard]] RowRange block_cols(const ProcessGrid& grid, Index n, Index rank);
/// The rows of W (of m) or H' (of n) that it owns.
[[nodiscard]] RowRange owned_rows(const ProcessGrid& grid, Side side, Index m, Index n, Index rank);

/// What one outer iteration costs the rank that has most to do.
struct IterationCost {
  double flops = 0;     ///< of the two products with M
  double words = 0;     ///< sent, in entries of the factors
  double messages = 0;  ///< one after the other
};

/// Words and messages of the collective operations among `ranks`, as MPI libraries do them (Thakur,
/// Rabenseifner and Gropp 2005): in ceil(log2 ranks) rounds. `words` is the length of the whole vector.
[[nodiscard]] IterationCost all_gather_cost(Index ranks, double words);
[[nodiscard]] IterationCost reduce_scatter_cost(Index ranks, double words);
[[nodiscard]] IterationCost all_reduce_cost(Index ranks, double words);

/// What all ranks add up in an outer iteration, one after the other; by default that of e-a-hals.
struct IterationSums {
  double grams = 3;    ///< symmetric r x r matrices
  double numbers = 5;  ///< of two numbers each: errors, steps, clocks, wishes of the observer
};

/// The products with M, and the sums.
[[nodiscard]] IterationCost iteration_cost(const ProcessGrid& grid, const ProblemSize& problem,
                                           const IterationSums& sums = {});

/// What all ranks add up in an outer iteration of a loss that looks at entries; by default that of e-ccd.
struct LineSums {
  double columns = 3;       ///< sums and squares of the r columns of a factor
  double numbers = 5;       ///< of two numbers each: sweeps and losses, clocks, wishes of the observer
  bool curvatures = false;  ///< of e-spn: two numbers for every row and every column of M
};

/// The same where every rank has rows and columns of M (distributed_lines.h): both factors are gathered by
/// all, and the sums. The flops are those of one look at all entries for either factor.
[[nodiscard]] IterationCost lines_cost(Index ranks, const ProblemSize& problem, const LineSums& sums = {});

/// The seconds of one message, word and flop on a cluster of today; only their ratios matter here.
struct MachineModel {
  double seconds_per_message = 2e-6;
  double seconds_per_word = 8.0 / 10e9;
  double seconds_per_flop = 1.0 / 20e9;

  [[nodiscard]] double seconds(const IterationCost& cost) const {
    return seconds_per_message * cost.messages + seconds_per_word * cost.words +
           seconds_per_flop * cost.flops;
  }
};

/// The grid of so many ranks with the quickest iteration.
[[nodiscard]] ProcessGrid choose_grid(Index ranks, const ProblemSize& problem,
                                      const MachineModel& machine = {});

}  // namespace anmf::mpi
