// SPDX-License-Identifier: MIT
#include "survey/resampled.h"

namespace anmf {

template <class T>
double resampled_bytes(Index rows, Index cols, Index nonzeros) {
  const double entries = static_cast<double>(rows) * static_cast<double>(cols);
  const auto stored = static_cast<double>(nonzeros);
  if (stored >= entries) return entries * sizeof(T);
  // By rows and by columns.
  return 2 * stored * (sizeof(T) + sizeof(std::uint32_t)) + sizeof(Index) * static_cast<double>(rows + cols);
}

template double resampled_bytes<float>(Index, Index, Index);
template double resampled_bytes<double>(Index, Index, Index);

}  // namespace anmf
