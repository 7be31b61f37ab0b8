// SPDX-License-Identifier: MIT
// numpy arrays in and out without copies.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "anmf/matrix.h"

namespace anmf::python {

namespace nb = nanobind;

/// Any 2-d array of the caller, read only.
using AnyArray = nb::ndarray<nb::ro, nb::ndim<2>, nb::device::cpu>;
/// A C-ordered one of known type.
template <class T>
using RowMajorArray = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
ConstMatrixView<T> view(const RowMajorArray<T>& array) {
  return {array.data(), static_cast<Index>(array.shape(0)), static_cast<Index>(array.shape(1))};
}

template <class T>
Matrix<T> copy(const RowMajorArray<T>& array) {
  Matrix<T> result(static_cast<Index>(array.shape(0)), static_cast<Index>(array.shape(1)));
  std::copy_n(array.data(), result.size(), result.data());
  return result;
}

/// A numpy array that owns the matrix. The GIL must be held.
template <class T>
nb::object to_numpy(Matrix<T>&& matrix) {
  auto* owned = new Matrix<T>(std::move(matrix));
  const nb::capsule owner(owned, [](void* memory) noexcept { delete static_cast<Matrix<T>*>(memory); });
  return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<2>>(
      owned->data(), {static_cast<std::size_t>(owned->rows()), static_cast<std::size_t>(owned->cols())},
      owner));
}

/// The same for one axis.
template <class V>
nb::object vector_to_numpy(std::vector<V>&& vector) {
  auto* owned = new std::vector<V>(std::move(vector));
  const nb::capsule owner(owned, [](void* memory) noexcept { delete static_cast<std::vector<V>*>(memory); });
  return nb::cast(nb::ndarray<nb::numpy, V, nb::ndim<1>>(owned->data(), {owned->size()}, owner));
}

}  // namespace anmf::python
