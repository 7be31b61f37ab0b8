// SPDX-License-Identifier: MIT
// Both factors as the report looks at them: tall, so that component p is column p of either.
#pragma once

#include "anmf/matrix.h"

namespace anmf::report {

/// W as it is, or the transpose of H over the memory of H.
template <class T>
struct TallView {
  const T* data = nullptr;
  Index rows = 0;
  Index cols = 0;
  Index row_step = 0;
  Index col_step = 0;

  const T& operator()(Index i, Index p) const { return data[i * row_step + p * col_step]; }
};

template <class T>
[[nodiscard]] TallView<T> tall(const Matrix<T>& W) {
  return {.data = W.data(), .rows = W.rows(), .cols = W.cols(), .row_step = W.cols(), .col_step = 1};
}

template <class T>
[[nodiscard]] TallView<T> turned(const Matrix<T>& H) {
  return {.data = H.data(), .rows = H.cols(), .cols = H.rows(), .row_step = 1, .col_step = H.cols()};
}

}  // namespace anmf::report
