// SPDX-License-Identifier: MIT
// g = X G - C + l, the gradient of a half-step, with the norms that measure how far X is from optimal.
#pragma once

#include "kernels/half_step.h"

namespace anmf {

struct GradientNorms {
  double squared = 0;            ///< ||g||^2
  double squared_projected = 0;  ///< over the entries with g < 0 or x > lower bound
  double flops = 0;              ///< of all workers, like the norms
};

/// How far X is from optimal, by two measures. Both are zero exactly where no entry can move and gain.
struct Optimality {
  double squared_projected_gradient = 0;
  /// What the minimisation of every entry alone, with all others as they are, takes off the half-step's
  /// objective, summed over the entries. Unlike a gradient it does not know the scale of a component.
  double promised_decrease = 0;
};

template <class T>
[[nodiscard]] Optimality optimality(const HalfStep<T>& half, ConstMatrixView<T> X, double lower_bound);

/// The norms at X, and g itself into `gradient` unless that is empty. 2 N r^2 flops.
template <class T>
GradientNorms gradient_norms(const HalfStep<T>& half, ConstMatrixView<T> X, double lower_bound,
                             MatrixView<T> gradient = {});

}  // namespace anmf
