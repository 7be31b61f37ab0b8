// SPDX-License-Identifier: MIT
// What a factorization will take, before it is made: the flops of an iteration and the memory of every stage.
#pragma once

#include <optional>

#include "anmf/options.h"

namespace anmf {

/// The flops of one outer iteration by the paper's cost model: both products, both Gram matrices, and the
/// inner iterations of both factors.
struct IterationFlops {
  double least = 0;  ///< with as few inner iterations as there can be
  /// With as many as there can be; nothing if only the run can tell, since rho is measured or the flops of an
  /// inner iteration vary.
  std::optional<double> most;
};

/// Of a matrix with so many rows, columns and stored entries. Throws InvalidInput if the method is unknown.
[[nodiscard]] IterationFlops iteration_flops(Index rows, Index cols, Index nonzeros, const Options& options);

/// The most bytes that a run has in memory beside M, in each of the stages that follow each other.
struct RunMemory {
  double start = 0;        ///< the start factors are made
  double compression = 0;  ///< the run begins on a compression of M; 0 if it does not
  double loop = 0;         ///< the outer iterations, without checkpoints
  double checkpoint = 0;   ///< a copy of the state, which comes to the loop while it is saved
  double end = 0;          ///< the factors get their units, order and norms
};

/// Of a run that computes in T with so many threads.
template <class T>
[[nodiscard]] RunMemory run_memory(Index rows, Index cols, Index nonzeros, const Options& options,
                                   int threads);

/// Whether the half-step of a side can be made while M is read in blocks of its rows (Data::one_pass).
[[nodiscard]] bool updates_while_reading(const Options& options, Side side);

}  // namespace anmf
