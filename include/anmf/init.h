// SPDX-License-Identifier: MIT
// Start factors on their own, for callers that keep, change or compare them before a run.
#pragma once

#include <cstdint>

#include "anmf/factorize.h"

namespace anmf {

/// The W (m x r) and H (r x n) that factorize() would start from, but for the lower bound of MU. Both factors
/// are set. The methods ask M for products only, `spa` also for Data::line_norms. The factors have the same
/// bits for any number of threads; 0 threads stands for every core. Throws InvalidInput if M, the rank and
/// the method do not go together.
template <class T>
[[nodiscard]] Start<T> initial_factors(const Data<T>& data, Index rank, Init init, std::uint64_t seed,
                                       int threads = 1, Interrupt interrupt = {});

extern template Start<float> initial_factors(const Data<float>&, Index, Init, std::uint64_t, int, Interrupt);
extern template Start<double> initial_factors(const Data<double>&, Index, Init, std::uint64_t, int,
                                              Interrupt);

}  // namespace anmf
