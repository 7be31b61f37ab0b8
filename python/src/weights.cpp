// SPDX-License-Identifier: MIT
// Which entries of a matrix count, and how much (anmf/weights.h), from numpy's arrays.
#include "weights.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/unique_ptr.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "anmf/weights.h"
#include "call.h"
#include "matrix.h"

namespace anmf::python {
namespace {

template <class T>
std::vector<T> vector_of(const nb::handle& array) {
  const auto own = nb::cast<Vector<T>>(array, false);
  return {own.data(), own.data() + own.size()};
}

std::vector<double> line_weights(const nb::object& weights) {
  return weights.is_none() ? std::vector<double>() : vector_of<double>(weights);
}

/// None: all of them count the same. "stored": nothing else does. (offsets, columns): those at these places
/// are missing. (offsets, columns, weights): so much, and the rest nothing. A 2-d array: each its own.
template <class T>
decltype(Weights<T>::entries) entry_weights(const nb::object& given, Index rows, Index cols) {
  if (given.is_none()) return {};
  if (nb::isinstance<nb::str>(given)) return OnlyStored{};
  if (!nb::isinstance<nb::tuple>(given)) return copy(nb::cast<RowMajorArray<T>>(given, false));
  const auto parts = nb::cast<nb::tuple>(given);
  std::vector<Index> offsets = vector_of<Index>(parts[0]);
  std::vector<std::uint32_t> indices = vector_of<std::uint32_t>(parts[1]);
  if (parts.size() == 2)
    return Places{.rows = rows, .cols = cols, .offsets = std::move(offsets), .indices = std::move(indices)};
  return Csr<T>{.rows = rows,
                .cols = cols,
                .offsets = std::move(offsets),
                .indices = std::move(indices),
                .values = vector_of<T>(parts[2])};
}

std::unique_ptr<PyMatrix> weigh(PyMatrix& M, const nb::object& entries, const nb::object& rows,
                                const nb::object& columns) {
  return M.into([&]<class T>(std::unique_ptr<Data<T>> data) {
    Weights<T> weights{.rows = line_weights(rows),
                       .columns = line_weights(columns),
                       .entries = entry_weights<T>(entries, data->rows(), data->cols())};
    const Call call;
    const nb::gil_scoped_release no_gil;
    return weighted(std::move(data), std::move(weights));
  });
}

template <class T>
std::pair<nb::object, nb::object> take_missing_of(
    const nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>& array) {
  Places places = take_missing<T>(
      MatrixView<T>(array.data(), static_cast<Index>(array.shape(0)), static_cast<Index>(array.shape(1))));
  return {vector_to_numpy(std::move(places.offsets)), vector_to_numpy(std::move(places.indices))};
}

/// Canonical rows whose zeros have been observed; values are finite and >= 0.
template <class T>
std::unique_ptr<PyMatrix> observed(std::pair<Index, Index> shape, const Vector<Index>& offsets,
                                   const Vector<std::uint32_t>& indices, const Vector<T>& values) {
  Csr<T> rows{.rows = shape.first,
              .cols = shape.second,
              .offsets = {offsets.data(), offsets.data() + offsets.size()},
              .indices = {indices.data(), indices.data() + indices.size()},
              .values = {values.data(), values.data() + values.size()}};
  std::unique_ptr<Data<T>> data;
  const Call call;
  {
    const nb::gil_scoped_release no_gil;
    data = SparseData<T>::from_observed(std::move(rows));
  }
  return std::make_unique<PyMatrix>(std::move(data), nb::none());
}

}  // namespace

void bind_weights(nb::module_& module) {
  module.def("weighted", &weigh, nb::arg("matrix"), nb::arg("entries").none(), nb::arg("rows").none(),
             nb::arg("columns").none());
  const auto def = [&](auto take, auto observe) {
    module.def("take_missing", take, nb::arg("array").noconvert());
    module.def("observed", observe, nb::arg("shape"), nb::arg("offsets").noconvert(),
               nb::arg("indices").noconvert(), nb::arg("values").noconvert());
  };
  def(&take_missing_of<double>, &observed<double>);
  def(&take_missing_of<float>, &observed<float>);
}

}  // namespace anmf::python
