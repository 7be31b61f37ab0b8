// SPDX-License-Identifier: MIT
// Sizes that this machine cannot hold are refused before any work: a system that promises more memory than it
// has would end the process in the middle of it.
#pragma once

#include <string_view>

#include "anmf/matrix.h"

namespace anmf::validate {

/// Throws NotEnoughMemory if `bytes` are more than the memory of this machine, swap included: "`what` take
/// ...; `advice`".
void memory(std::string_view what, double bytes, std::string_view advice);

/// The bytes of two matrices of r x r in double: the Gram matrices of both factors, or one and its scaled
/// copy.
[[nodiscard]] inline double two_grams(Index r) {
  return 2.0 * sizeof(double) * static_cast<double>(r) * static_cast<double>(r);
}

}  // namespace anmf::validate
