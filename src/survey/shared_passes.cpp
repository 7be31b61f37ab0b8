// SPDX-License-Identifier: MIT
#include "survey/shared_passes.h"

namespace anmf {

template <class T>
double shared_pass_bytes(Index rows, Index cols, Index rank) {
  // A factor beside those of the others, and its product.
  return static_cast<double>((rows + cols) * rank) * sizeof(T);
}

template double shared_pass_bytes<float>(Index, Index, Index);
template double shared_pass_bytes<double>(Index, Index, Index);

}  // namespace anmf
