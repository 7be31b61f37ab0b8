// SPDX-License-Identifier: MIT
// The last touches on a result: units, order and normalisation of the components.
#pragma once

#include "anmf/factorize.h"
#include "core/workers.h"
#include "init/start_factors.h"

namespace anmf {

/// Fills result.W (m x r), result.H (r x n) and result.scale from tall factors of M / scale.
template <class T>
void finish(Factors<T> factors, double scale, const Options& options, const Workers& workers,
            Result<T>& result);

/// The most that finish() has in memory at a time, the factors included.
template <class T>
[[nodiscard]] double finish_bytes(Index rows, Index cols, Index rank, const Options& options);

}  // namespace anmf
