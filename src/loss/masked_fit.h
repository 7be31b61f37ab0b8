// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "loss/fit_term.h"

namespace anmf {

/// The fit of a run by least squares where rows and columns of M count differently, and where entries are
/// missing of which M has most (Counted::all and Counted::all_but).
template <class T>
[[nodiscard]] std::unique_ptr<FitTerm<T>> make_masked_fit(const Data<T>& data, Factors<T> start,
                                                          const Penalties& penalties, const Workers& workers);

/// What it keeps where entries are missing, beside the products with M: those with the missing entries, both
/// together, and copies of the factors.
template <class T>
[[nodiscard]] double masked_fit_bytes(Index rows, Index cols, Index rank);

}  // namespace anmf
