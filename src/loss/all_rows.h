// SPDX-License-Identifier: MIT
#pragma once

#include <utility>

#include "anmf/data.h"
#include "core/workers.h"

namespace anmf {

/// All rows of the factor of a side, of which X are those that this worker holds: in `room`, or X itself in
/// one process. All workers call it at once.
template <class T>
[[nodiscard]] ConstMatrixView<T> all_rows(const Data<T>& data, Side side, const Matrix<T>& X, Matrix<T>& room,
                                          const Workers& workers) {
  if (workers.reducer == nullptr) return X.view();
  const Index rows = side == Side::W ? data.rows() : data.cols();
  if (room.rows() != rows || room.cols() != X.cols()) room = Matrix<T>(rows, X.cols());
  data.gather(side, X.view(), room.view());
  return std::as_const(room).view();
}

}  // namespace anmf
