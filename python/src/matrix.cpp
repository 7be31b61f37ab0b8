// SPDX-License-Identifier: MIT
#include "matrix.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include <concepts>
#include <span>
#include <string>
#include <vector>

#include "call.h"

namespace anmf::python {
namespace {

/// The entries as they lie: rows one after another, or columns.
template <class S>
std::pair<ConstMatrixView<S>, Layout> stored(const AnyArray& array) {
  const auto rows = static_cast<Index>(array.shape(0));
  const auto cols = static_cast<Index>(array.shape(1));
  const auto* data = static_cast<const S*>(array.data());
  // A single row or column may have any stride in the other direction.
  if (array.stride(1) == 1 || cols == 1) {
    return {{data, rows, cols, rows == 1 ? cols : Index{array.stride(0)}}, Layout::row_major};
  }
  if (array.stride(0) == 1 || rows == 1) {
    return {{data, cols, rows, cols == 1 ? rows : Index{array.stride(1)}}, Layout::column_major};
  }
  throw nb::value_error("the array is neither C- nor F-ordered");
}

template <class T, class S>
std::unique_ptr<PyMatrix> dense_of(const AnyArray& array) {
  const auto [matrix, layout] = stored<S>(array);
  const Call call;
  std::unique_ptr<Data<T>> data;
  {
    const nb::gil_scoped_release no_gil;
    data = std::make_unique<DenseData<T>>(matrix, layout);
  }
  return std::make_unique<PyMatrix>(std::move(data), nb::cast(array));
}

template <class T>
std::unique_ptr<PyMatrix> dense_as(const AnyArray& array) {
  const nb::dlpack::dtype type = array.dtype();
  if (type == nb::dtype<T>()) return dense_of<T, T>(array);
  if constexpr (std::same_as<T, double>) {
    if (type == nb::dtype<float>()) return dense_of<T, float>(array);
  }
  if (type == nb::dtype<std::uint8_t>()) return dense_of<T, std::uint8_t>(array);
  if (type == nb::dtype<std::uint16_t>()) return dense_of<T, std::uint16_t>(array);
  throw nb::type_error("the entries are of a type that is not computed with");
}

std::unique_ptr<PyMatrix> dense(const AnyArray& array, bool single) {
  if (single) return dense_as<float>(array);
  return dense_as<double>(array);
}

template <class T, class I>
std::unique_ptr<PyMatrix> sparse(std::pair<Index, Index> shape, bool by_columns, const Vector<Index>& offsets,
                                 const Vector<I>& indices, const Vector<T>& values) {
  const auto [rows, cols] = shape;
  const std::span<const Index> o(offsets.data(), offsets.size());
  const std::span<const I> i(indices.data(), indices.size());
  const std::span<const T> v(values.data(), values.size());
  const Call call;
  std::unique_ptr<Data<T>> data;
  {
    const nb::gil_scoped_release no_gil;
    data = by_columns ? SparseData<T>::template from_csc<I>(rows, cols, o, i, v)
                      : SparseData<T>::template from_csr<I>(rows, cols, o, i, v);
  }
  return std::make_unique<PyMatrix>(std::move(data), nb::none());  // it has its own copy
}

}  // namespace

void bind_matrix(nb::module_& module) {
  nb::class_<PyMatrix>(module, "Matrix")
      .def_prop_ro("shape",
                   [](const PyMatrix& M) {
                     return M.with_data([](const auto& data) { return std::pair(data.rows(), data.cols()); });
                   })
      .def_prop_ro(
          "nonzeros",
          [](const PyMatrix& M) { return M.with_data([](const auto& data) { return data.nonzeros(); }); })
      .def_prop_ro("observed", [](const PyMatrix& M) {
        return M.with_data([](const auto& data) { return data.observed(); });
      });
  module.def("dense", &dense, nb::arg("array"), nb::arg("single"));
  const auto def_sparse = [&](auto function) {
    module.def("sparse", function, nb::arg("shape"), nb::arg("by_columns"), nb::arg("offsets").noconvert(),
               nb::arg("indices").noconvert(), nb::arg("values").noconvert());
  };
  def_sparse(&sparse<double, std::int32_t>);
  def_sparse(&sparse<double, std::int64_t>);
  def_sparse(&sparse<float, std::int32_t>);
  def_sparse(&sparse<float, std::int64_t>);
}

}  // namespace anmf::python
