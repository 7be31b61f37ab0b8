// SPDX-License-Identifier: MIT
// Least squares of one row a of A over the entries that count, each p_j times, beside F (K x r):
//
//     1/2 sum_j p_j (a_j - <x, f_j>)^2 + l1 sum(x) + l2/2 ||x||^2,   x >= 0,
//
// by sweeps of coordinate descent over rows side by side, one in each lane. There are two ways to the same
// steps: normal_equations.h for rows with many entries, residual_descent.h for those with few.
#pragma once

#include <cstddef>
#include <cstdint>

#include "anmf/matrix.h"

namespace anmf {

/// The entries of one row of A that count.
template <class T>
struct CountedEntries {
  const std::uint32_t* indices = nullptr;
  const T* values = nullptr;
  const T* roots = nullptr;  ///< the square roots of p; null: 1
  std::size_t count = 0;
  T scale = 1;  ///< an entry is the stored one times this
};

/// A row that is swept over, and what came of it.
template <class T>
struct SweptRow {
  T* x = nullptr;    ///< r numbers
  Index budget = 1;  ///< sweeps at the most, at least 1
  Index sweeps = 0;
  T squares = 0;   ///< the residual is known to the rounding of this
  T residual = 0;  ///< sum p (a - y)^2
};

template <class T>
struct RowSweeps {
  std::size_t rank = 0;
  T l1 = 0;
  T l2 = 0;
  T share = 0;  ///< rows stop behind a squared step that is at most this multiple of the first; 0: never
  bool wants_residual = false;
};

/// Curvatures below have no inverse in range: nothing of F is behind the coordinate.
template <class T>
inline constexpr T kNoCurvature = sizeof(T) == 4 ? T{1e-36F} : T{1e-290};

/// After a sweep with these squared steps: whether any row goes on, and in `active` which. `firsts` keeps the
/// first steps.
template <class T>
bool goes_on(const RowSweeps<T>& sweeps, SweptRow<T>* rows, std::size_t count, const T* steps, T* firsts,
             T* active) {
  bool any = false;
  for (std::size_t lane = 0; lane < count; ++lane) {
    if (active[lane] == T{0}) continue;
    SweptRow<T>& row = rows[lane];
    if (++row.sweeps == 1) firsts[lane] = steps[lane];
    const bool small = sweeps.share > T{0} && steps[lane] <= sweeps.share * firsts[lane];
    if (row.sweeps >= row.budget || small) active[lane] = T{0};
    any = any || active[lane] > T{0};
  }
  return any;
}

}  // namespace anmf
