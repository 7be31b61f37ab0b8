// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "anmf/matrix.h"

namespace anmf {

/// The column of every row of a square matrix of finite costs, all columns different, with the least sum.
[[nodiscard]] std::vector<Index> least_assignment(ConstMatrixView<double> costs);

}  // namespace anmf
