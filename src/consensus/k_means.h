// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "anmf/consensus.h"

namespace anmf {

/// Centres are means. Where fewer than k rows differ, the last clusters stay empty, with centres of zeros.
[[nodiscard]] Clusters k_means(ConstMatrixView<double> X, Index k, std::uint64_t seed, ThreadPool& pool);

}  // namespace anmf
