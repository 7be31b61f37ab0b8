// SPDX-License-Identifier: MIT
// The scale of a component is free: w_p h_p is (s w_p) (h_p / s). Steps that are extrapolated again and again
// let it drift, ever faster, and what is compared across components, as norms of steps and of gradients are,
// then says less and less. A component that has drifted far is brought back by a power of two, which changes
// no digit of anything.
#pragma once

#include "loss/factor_state.h"

namespace anmf {

/// Multiplies column p of X by a power of two. Its Gram matrix and the other factor's product with M follow,
/// with the bits that they would have if computed anew.
template <class T>
void scale_component(FactorState<T>& scaled, FactorState<T>& other_one, Index p, double by);

/// Gives both columns of every component about the same norm whose norms are far apart. True if there was
/// one. Both Gram matrices must be current.
template <class T>
[[nodiscard]] bool balance_components(FactorState<T>& first, FactorState<T>& second);

}  // namespace anmf
