// SPDX-License-Identifier: MIT
// What a factorization will have in memory beside M: its stages follow each other, and each part is said by
// whoever holds it.
#pragma once

#include "anmf/options.h"
#include "outer/plan.h"

namespace anmf {

/// The most bytes of each stage.
struct RunMemory {
  double start = 0;        ///< the start factors are made
  double compression = 0;  ///< the run begins on a compression of M; 0 if it does not
  double loop = 0;         ///< the outer iterations, without checkpoints
  double checkpoint = 0;   ///< a copy of the state, which comes to the loop while it is saved
  double end = 0;          ///< the factors get their units, order and norms
};

/// Of a run on an m x n matrix by so many threads.
template <class T>
[[nodiscard]] RunMemory run_memory(Index rows, Index cols, const Options& options, const Plan& plan,
                                   int threads);

}  // namespace anmf
