// SPDX-License-Identifier: MIT
// Checks of the options and of given start factors, one function per rule. All throw InvalidInput.
#pragma once

#include "anmf/factorize.h"

namespace anmf::validate {

/// Every option is in its range, on its own and together with the method.
void options(const Options& options);

/// A given start factor has the right shape and entries.
template <class T>
void start(const Start<T>& start, Index rows, Index cols, Index rank);

}  // namespace anmf::validate
