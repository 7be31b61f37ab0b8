// SPDX-License-Identifier: MIT
#pragma once

#include "anmf/data.h"
#include "core/workers.h"

namespace anmf {

/// The sum of all entries of M.
template <class T>
[[nodiscard]] double sum_of_matrix(const Data<T>& data, const Workers& workers);

/// The loss of the best model of rank one, a w h' with w, h >= 0, which errors of other losses than least
/// squares are relative to. With h fixed, w_i = sum_j m_ij h_j^(b-1) / sum_j h_j^b is the best w, and the
/// same with the sides exchanged: for b = 1 one round is exact, for others rounds are made until they change
/// nothing that matters.
template <class T>
[[nodiscard]] double rank_one_loss(const Data<T>& data, double beta, const Workers& workers);

}  // namespace anmf
