// SPDX-License-Identifier: MIT
// Start factors W (m x r) and Ht (n x r): given by the caller, or made by one of the methods of Init.
#pragma once

#include "anmf/factorize.h"
#include "core/factors.h"
#include "core/workers.h"

namespace anmf {

/// What is not given is made by `init`. Entries are raised to `lower_bound`, from which MU must start to be
/// monotone. Whether the init goes with the rank and with what is given is for validate::init to say. `beta`
/// is that of the loss that the start is scaled for.
template <class T>
[[nodiscard]] Factors<T> start_factors(const Data<T>& data, Index rank, Init init, std::uint64_t seed,
                                       const Start<T>& given, double lower_bound, const Workers& workers,
                                       double beta = 2);

/// The most that start_factors() has in memory at a time, the factors included.
template <class T>
[[nodiscard]] double start_bytes(Index rows, Index cols, Index rank, Init init);

}  // namespace anmf
