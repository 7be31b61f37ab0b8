// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "anmf/consensus.h"

namespace anmf {

/// The sums of the rows of X (N x n) with the labels 0 to k - 1, added in their order: k x n.
[[nodiscard]] Matrix<double> cluster_sums(ConstMatrixView<double> X, std::span<const Index> labels, Index k,
                                          ThreadPool& pool);

}  // namespace anmf
