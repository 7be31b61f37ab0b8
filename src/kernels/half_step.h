// SPDX-License-Identifier: MIT
// The problem of a half-step, with G (r x r) and C (N x r) from the fixed factor and a linear term l (r):
//
//     min over X >= 0 of  1/2 <X, X G> - <C, X> + sum_ip l_p x_ip       (X is N x r; rows are independent)
//
// Its gradient at X is X G - C + l. For least squares G is the Gram matrix of the fixed factor F (K x r), C
// the product of M with F, and l the linear penalty. A loss whose model at X has no curvature to share, as
// that of multiplicative updates for Kullback and Leibler's, has G = 0 and its column sums in l.
#pragma once

#include <span>

#include "anmf/matrix.h"
#include "core/workers.h"

namespace anmf {

template <class T>
struct HalfStep {
  ConstMatrixView<T> gram;    ///< G, with the quadratic penalty already on its diagonal
  ConstMatrixView<T> cross;   ///< C, without penalty
  std::span<const T> linear;  ///< l, one number for every column of X
  /// A rule that has the gradient at hand does not move X once the norm of the projected gradient is
  /// below this, and says so. 0 asks nothing.
  double gradient_tolerance = 0;
  Workers workers;
};

}  // namespace anmf
