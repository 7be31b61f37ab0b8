// SPDX-License-Identifier: MIT
// Multiplicative updates of the caller's arrays, in place: W (m x r), and the components as H' (n x r).
#include "updates.h"

#include <nanobind/stl/string.h>

#include "anmf/multiplicative.h"
#include "call.h"
#include "matrix.h"

namespace anmf::python {
namespace {

template <class T>
MatrixView<T> writable(const nb::object& array) {
  const auto own = nb::cast<nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>>(array, false);
  return {own.data(), static_cast<Index>(own.shape(0)), static_cast<Index>(own.shape(1))};
}

Index update_rows(const PyMatrix& M, const nb::object& W, const nb::object& Ht, const UpdateOptions& options,
                  const UpdateLimits& limits) {
  return M.with_data([&]<class T>(const Data<T>& data) {
    const MatrixView<T> weights = writable<T>(W);
    const auto components = nb::cast<RowMajorArray<T>>(Ht);
    Call call;
    const nb::gil_scoped_release no_gil;
    return MultiplicativeUpdates<T>(data, options, call.interrupt())
        .update_W(weights, view(components), limits);
  });
}

double learn_batch(const PyMatrix& M, const nb::object& W, const nb::object& Ht, const nb::object& above,
                   const nb::object& below, double memory, const UpdateOptions& options,
                   const UpdateLimits& limits) {
  return M.with_data([&]<class T>(const Data<T>& data) {
    const MatrixView<T> weights = writable<T>(W);
    const LearntComponents<T> learnt = {writable<T>(Ht), writable<T>(above), writable<T>(below)};
    Call call;
    const nb::gil_scoped_release no_gil;
    return MultiplicativeUpdates<T>(data, options, call.interrupt()).learn(weights, learnt, memory, limits);
  });
}

double divergence_of(const PyMatrix& M, const nb::object& W, const nb::object& Ht,
                     const UpdateOptions& options) {
  return M.with_data([&]<class T>(const Data<T>& data) {
    const auto weights = nb::cast<RowMajorArray<T>>(W);
    const auto components = nb::cast<RowMajorArray<T>>(Ht);
    Call call;
    const nb::gil_scoped_release no_gil;
    return MultiplicativeUpdates<T>(data, options, call.interrupt())
        .divergence(view(weights), view(components));
  });
}

}  // namespace

void bind_updates(nb::module_& module) {
  nb::class_<UpdateOptions>(module, "UpdateOptions")
      .def(
          "__init__",
          [](UpdateOptions* self, std::string loss, double alpha_W, double alpha_H, double l1_ratio,
             int threads) { new (self) UpdateOptions{std::move(loss), alpha_W, alpha_H, l1_ratio, threads}; },
          nb::kw_only(), nb::arg("loss"), nb::arg("alpha_W"), nb::arg("alpha_H"), nb::arg("l1_ratio"),
          nb::arg("threads"));
  nb::class_<UpdateLimits>(module, "UpdateLimits")
      .def(
          "__init__",
          [](UpdateLimits* self, Index most, double least_step, double least_gain) {
            new (self) UpdateLimits{most, least_step, least_gain};
          },
          nb::kw_only(), nb::arg("most"), nb::arg("least_step") = 0.0, nb::arg("least_gain") = 0.0);
  module.def("update_rows", &update_rows, nb::arg("matrix"), nb::arg("W"), nb::arg("Ht"), nb::arg("options"),
             nb::arg("limits"));
  module.def("learn_batch", &learn_batch, nb::arg("matrix"), nb::arg("W"), nb::arg("Ht"), nb::arg("above"),
             nb::arg("below"), nb::arg("memory"), nb::arg("options"), nb::arg("limits"));
  module.def("divergence", &divergence_of, nb::arg("matrix"), nb::arg("W"), nb::arg("Ht"),
             nb::arg("options"));
}

}  // namespace anmf::python
