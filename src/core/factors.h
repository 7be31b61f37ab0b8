// SPDX-License-Identifier: MIT
#pragma once

#include "anmf/matrix.h"

namespace anmf {

/// Both factors tall: W is m x r and Ht, the transpose of H, is n x r.
template <class T>
struct Factors {
  Matrix<T> W;
  Matrix<T> Ht;
};

}  // namespace anmf
