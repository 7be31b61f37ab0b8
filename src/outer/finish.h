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

}  // namespace anmf
