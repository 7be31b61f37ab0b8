// SPDX-License-Identifier: MIT
#pragma once

#include "anmf/data.h"

namespace anmf {

/// The penalty on one factor X: l1 * sum(X) + l2 / 2 * ||X||^2.
struct Penalty {
  double l1 = 0;
  double l2 = 0;

  [[nodiscard]] bool none() const { return l1 == 0 && l2 == 0; }
};

/// Those of both factors.
struct Penalties {
  Penalty W;
  Penalty H;

  [[nodiscard]] bool none() const { return W.none() && H.none(); }
  [[nodiscard]] const Penalty& of(Side side) const { return side == Side::W ? W : H; }
};

}  // namespace anmf
