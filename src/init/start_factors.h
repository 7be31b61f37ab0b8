// SPDX-License-Identifier: MIT
// Start factors W (m x r) and Ht (n x r): given by the caller, or random and scaled as in the paper.
#pragma once

#include "anmf/factorize.h"
#include "core/workers.h"

namespace anmf {

template <class T>
struct Factors {
  Matrix<T> W;
  Matrix<T> Ht;
};

/// Missing factors are uniform on [0, 1), a pure function of the seed and the position, and scaled so
/// that the best multiple of W H is 1: a = <M Ht, W> / <W'W, Ht'Ht> is put on the random factor, or its
/// root on each if both are random (the paper, footnote in section 5.1). Entries are raised to
/// `lower_bound`, from which MU must start to be monotone.
template <class T>
[[nodiscard]] Factors<T> start_factors(const Data<T>& data, Index rank, std::uint64_t seed,
                                       const Start<T>& given, double lower_bound, const Workers& workers);

}  // namespace anmf
