// SPDX-License-Identifier: MIT
// The r leading singular triplets of M (m x n): M ~ U diag(s) V', U m x r, V n x r, s descending.
#pragma once

#include <Eigen/Core>
#include <cstdint>

#include "anmf/data.h"

namespace anmf {

struct TruncatedSvd {
  Eigen::MatrixXd U;
  Eigen::VectorXd s;
  Eigen::MatrixXd V;
};

/// Exact to rounding where the short side of M is at most rank + 10, or M is small altogether; else by a
/// randomised range finder, whose error in a triplet falls with the 15th power of s_(r+11) / s_j. Triplets
/// that are zero, or in the second case below 1e-6 of the first, may be left out. rank <= min(m, n).
template <class T>
[[nodiscard]] TruncatedSvd truncated_svd(const Data<T>& M, Index rank, std::uint64_t seed, ThreadPool& pool);

/// The most that truncated_svd() has in memory at a time, its result included.
template <class T>
[[nodiscard]] double svd_bytes(Index rows, Index cols, Index rank);

}  // namespace anmf
