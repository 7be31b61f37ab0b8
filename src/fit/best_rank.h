// SPDX-License-Identifier: MIT
#pragma once

#include "anmf/matrix.h"

namespace anmf {

/// The most that best_rank_error() has in memory beside M.
template <class T>
[[nodiscard]] double best_rank_bytes(Index rows, Index cols, Index rank, int threads);

extern template double best_rank_bytes<float>(Index, Index, Index, int);
extern template double best_rank_bytes<double>(Index, Index, Index, int);

}  // namespace anmf
