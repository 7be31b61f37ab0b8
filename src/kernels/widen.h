// SPDX-License-Identifier: MIT
// Entries in a narrow type become entries of the type that is computed with.
#pragma once

#include "anmf/matrix.h"

namespace anmf {

/// `to` = `from`, entry by entry, for views of the same size. Every value of S is exact in T.
/// S is T itself, std::uint8_t, std::uint16_t or float.
template <class S, class T>
void widen(ConstMatrixView<S> from, MatrixView<T> to);

}  // namespace anmf
