// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "anmf/options.h"
#include "loss/fit_term.h"

namespace anmf {

/// A loss other than least squares where all entries count the same, and how its factors are improved.
struct EntryLoss {
  double beta = 1;
  Rule rule;
  InnerStop inner_stop;
  Index most_sweeps = 1;  ///< where the inner stop has no budget
  double lower_bound = 0;
  bool scikit_learns = false;  ///< plain multiplicative updates, with the zeros that scikit-learn makes
  Side second = Side::H;       ///< whose half-steps are followed by a look at the value
  double reference = 0;        ///< the loss of the best model of rank one; of W H = 0 for least squares
};

template <class T>
[[nodiscard]] std::unique_ptr<FitTerm<T>> make_entry_fit(const Data<T>& data, Factors<T> start,
                                                         const Penalties& penalties, const EntryLoss& loss,
                                                         const Workers& workers);

/// What a run has in memory for it beside M and the factors; `sparse` says whether M is.
template <class T>
[[nodiscard]] double entry_fit_bytes(const Rule& rule, double beta, bool sparse, Index rows, Index cols,
                                     Index rank, int threads);

}  // namespace anmf
