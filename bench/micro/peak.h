// SPDX-License-Identifier: MIT
// What the arithmetic of one core can do: multiply-adds that wait neither for memory nor for each other.
#pragma once

#include "anmf/matrix.h"

namespace anmf::bench {

/// `steps` multiply-adds into every one of as many vectors of T as hide how long one takes, all in registers.
/// Their sum goes to `sum`, so that none can be left out. Returns the flops that it took.
template <class T>
double multiply_adds(Index steps, double& sum);

}  // namespace anmf::bench
