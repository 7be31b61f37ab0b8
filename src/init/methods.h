// SPDX-License-Identifier: MIT
// One function per way to start, each in a file of its own. M is m x n; W (m x r) and Ht (n x r) are tall.
// All are deterministic: the same bits for any number of threads.
#pragma once

#include <cstdint>

#include "anmf/factorize.h"
#include "core/factors.h"
#include "core/workers.h"

namespace anmf {

// Those that take the workers work where these share M, and depend on the seed alone, not on who holds which
// rows.

/// Uniform on [0, 1) and scaled as in the paper; a factor that is given stays as it is.
template <class T>
[[nodiscard]] Factors<T> scaled_random_start(const Data<T>& data, Index rank, std::uint64_t seed,
                                             const Start<T>& given, double beta, const Workers& workers);

/// sqrt(mean(M) / r) |N(0, 1)|, scikit-learn's "random".
template <class T>
[[nodiscard]] Factors<T> random_start(const Data<T>& data, Index rank, std::uint64_t seed,
                                      const Workers& workers);

/// What takes the place of the zeros of NNDSVD.
enum class Filling { none, constant, random };

/// From the leading singular triplets of M; rank <= min(m, n).
template <class T>
[[nodiscard]] Factors<T> nndsvd_start(const Data<T>& data, Index rank, Filling filling, std::uint64_t seed,
                                      ThreadPool& pool);

/// W is r columns of M. Throws InvalidInput if the data does not know the norms of its columns.
template <class T>
[[nodiscard]] Factors<T> spa_start(const Data<T>& data, Index rank, std::uint64_t seed, ThreadPool& pool);

/// The most that these two have in memory at a time, the factors included.
template <class T>
[[nodiscard]] double nndsvd_bytes(Index rows, Index cols, Index rank);
template <class T>
[[nodiscard]] double spa_bytes(Index rows, Index cols, Index rank);

/// The sum of the entries of M over m n, from one product of M with ones.
template <class T>
[[nodiscard]] double mean_entry(const Data<T>& data, const Workers& workers);

}  // namespace anmf
