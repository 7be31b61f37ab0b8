// SPDX-License-Identifier: MIT
#pragma once

#include "loss/wanted.h"

namespace anmf {

/// Makes what a run wants of its matrix, for this run alone: both products, or a half-step with the product
/// that follows it, in one read of M where the data offers that.
template <class T>
void supply(Wanted<T>& wanted, const Data<T>& data, const Workers& workers);

}  // namespace anmf
