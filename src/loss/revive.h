// SPDX-License-Identifier: MIT
// A component whose column became zero would stay dead: its partner has nothing to fit. As in the paper
// (section 4.2) the column is set to a tiny constant. The component as a whole is made tiny beside the fit
// and balanced between both factors, because a partner that later grows by the inverse of that constant would
// ruin Gram matrices and step norms.
#pragma once

#include "loss/factor_state.h"

namespace anmf {

struct Revived {
  bool any = false;   ///< updated.gram must be computed anew
  bool pair = false;  ///< both columns of a component were zero: partner.gram and updated.cross must be, too
};

/// Revives the zero columns of `updated`, whose Gram matrix is current. Where the partner's column is alive
/// its scale changes, and partner.gram and updated.cross follow it here.
template <class T>
[[nodiscard]] Revived revive_zero_columns(FactorState<T>& updated, FactorState<T>& partner);

}  // namespace anmf
