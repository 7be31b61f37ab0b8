// SPDX-License-Identifier: MIT
// Coordinate descent on Kullback and Leibler's loss over the nonzeros x_j of a row of M, y_j = <w, f_j>:
//
//     phi(w) = sum_j (y_j - x_j log y_j) + <l, w> + l2/2 ||w||^2,   l = column sums of F over all columns,
//     and l1
//
// (the y_j of the sum go with the column sums: zeros of M cost nothing). Where entries do not count the same,
// x_j is the entry times what it counts, and a row has an l of its own. For coordinate k, with p_j = f_jk,
//
//     G = sum x p / y,   q = sum x p^2 / y^2 + l2,   g = l_k + l2 w_k - G,   w_k <- max(0, w_k - g / q).
//
// g is concave in w_k, so a Newton step from g <= 0 does not pass the minimum. From g > 0 it may, if it more
// than halves w_k: then the slope g0 at w_k = 0 decides. g0 >= 0: zero is the minimum. Else neither the
// secant through both slopes passes the minimum nor the point of the multiplicative update, the root z of l2
// z^2 + l_k z = w_k G (w_k G / l_k without l2), and the smaller of both is taken. So no step raises phi, and
// y_j stays positive where x_j is.
//
// Rows of F that belong to the nonzeros are gathered once into a panel, P[k][j][lane], and swept over several
// times while they are in the caches: a lane is a row of M, or for a long row every so many of its nonzeros.
#pragma once

#include <cstddef>
#include <cstdint>

#include "anmf/matrix.h"

namespace anmf {

/// The nonzeros of one row of M and the row of the factor that is improved.
template <class T>
struct KlRow {
  const std::uint32_t* indices = nullptr;
  const T* values = nullptr;
  std::size_t count = 0;
  T* w = nullptr;             ///< r entries
  const T* linear = nullptr;  ///< l of this row; null: that of all rows
  Index sweeps = 0;           ///< set: how many moved this row
};

template <class T>
struct KlSweeps {
  ConstMatrixView<T> F;       ///< K x r
  const T* linear = nullptr;  ///< l, r numbers; null if every row has its own
  T l2 = 0;
  T scale = 1;  ///< an entry of M is the stored one times this
  Index budget = 1;
  T share = 0;  ///< a row whose sweep promised at most this share of what its first one did is left as it is
};

/// Rows of F are asked for this many places before they are gathered; those of the first places of a panel
/// should be asked for by the caller.
inline constexpr std::size_t kKlPlacesAhead = 8;

/// Memory of one thread, for `nonzeros` of a lane at the most.
template <class T>
struct KlScratch {
  T* panel;             ///< r * nonzeros * lanes of the panel, or 2 * nonzeros * lanes if `direct`
  T* x;                 ///< nonzeros * lanes
  T* y;                 ///< nonzeros * lanes
  T* z;                 ///< nonzeros * lanes, for a row alone
  T* w;                 ///< 2 * r * lanes
  bool direct = false;  ///< there is no room for the panel: F is read again for every coordinate
};

template <class T>
struct KlKernels {
  std::size_t lanes;
  std::size_t wide;  ///< rows of a wide panel, a multiple of `lanes`
  /// One row of M in each lane; `count` rows, at most `lanes` in a panel of one vector or `wide` in a wide
  /// one. Returns how many vectors of x and y are in the scratch memory, those of M and of the improved
  /// model: the nonzeros of the longest row times the vectors of a panel. Lanes that have fewer are filled
  /// with x = 0 and a y next to nothing. What becomes of a row does not depend on the panel that it is in.
  std::size_t (*rows)(const KlSweeps<T>& sweeps, KlRow<T>* rows, std::size_t count,
                      const KlScratch<T>& scratch);
  /// One row of M over all lanes.
  std::size_t (*row)(const KlSweeps<T>& sweeps, KlRow<T>& row, const KlScratch<T>& scratch);
};

template <class T>
[[nodiscard]] const KlKernels<T>& kl_kernels();
template <class T>
[[nodiscard]] KlKernels<T> find_kl_kernels();

}  // namespace anmf
