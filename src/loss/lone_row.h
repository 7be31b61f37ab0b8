// SPDX-License-Identifier: MIT
// A row x (1 x r) of a factor that is improved by itself: D(a | x F') + penalty(x), a being a dense row of M.
#pragma once

#include <cstdint>
#include <vector>

#include "loss/kl_memory.h"
#include "loss/row_method.h"

namespace anmf {

/// The memory that this takes, for one thread.
template <class T>
class LoneRow {
 public:
  /// By coordinate descent where there is one, else by a multiplicative update; both only fall. `row` is that
  /// of the block, x are its K entries and `weights`, unless null, what these count. Returns its loss, if
  /// that is wanted.
  double improve(const RowProblem<T>& problem, const EntryBlock<T>& block, Index row, T* w, const T* x,
                 const T* weights);

 private:
  double descend(const RowProblem<T>& problem, T* w, const T* x, const T* weights);

  KlMemory<T> panel_;
  std::vector<std::uint32_t> indices_;  // of the nonzeros of the row
  std::vector<T> values_;
  std::vector<T> linear_;
};

}  // namespace anmf
