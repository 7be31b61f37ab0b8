// SPDX-License-Identifier: MIT
// What a loaded file holds, as an ordinary matrix.
#pragma once

#include <algorithm>
#include <initializer_list>

#include "anmf/io.h"

namespace anmf::test {

template <class T>
Matrix<T> matrix_of(Index rows, Index cols, std::initializer_list<T> values) {
  Matrix<T> matrix(rows, cols);
  std::copy(values.begin(), values.end(), matrix.values().begin());
  return matrix;
}

/// M times the identity.
template <class T>
Matrix<T> as_read(const io::LoadedMatrix<T>& loaded) {
  ThreadPool pool(1);
  Matrix<T> identity(loaded.data->cols(), loaded.data->cols());
  for (Index j = 0; j < identity.rows(); ++j) identity(j, j) = T{1};
  Matrix<T> result(loaded.data->rows(), loaded.data->cols());
  loaded.data->cross(Side::W, identity.view(), result.view(), pool);
  return result;
}

}  // namespace anmf::test
