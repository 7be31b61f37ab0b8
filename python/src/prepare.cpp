// SPDX-License-Identifier: MIT
// Preparation of matrices: steps go in and out as (text, learnt, kept), which Python can keep and pickle.
#include "prepare.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "anmf/error.h"
#include "anmf/prepare.h"
#include "call.h"
#include "matrix.h"

namespace anmf::python {
namespace {

using StepState = std::tuple<std::string, std::vector<double>, std::vector<Index>>;
using State = std::pair<Index, std::vector<StepState>>;  // how many features, and the steps

State state_of(const Preparation& preparation) {
  State state = {preparation.features(), {}};
  for (const PrepareStep& step : preparation.steps())
    state.second.emplace_back(to_string(step), step.learnt, step.kept);
  return state;
}

Preparation restored(const State& state) {
  std::vector<PrepareStep> steps;
  for (const auto& [text, learnt, kept] : state.second) {
    const Preparation parsed(text);
    if (parsed.steps().size() != 1) throw InvalidInput("a step of the preparation is not one step.");
    PrepareStep step = parsed.steps().front();
    step.learnt = learnt;
    step.kept = kept;
    steps.push_back(std::move(step));
  }
  return {std::move(steps), state.first};
}

/// A 2-d array, or (data, indices, indptr) as scipy's csr_array takes them.
template <class T>
nb::object to_python(OwnEntries<T>&& entries) {
  if (auto* const dense = std::get_if<Matrix<T>>(&entries)) return to_numpy(std::move(*dense));
  auto& csr = std::get<Csr<T>>(entries);
  return nb::make_tuple(vector_to_numpy(std::move(csr.values)), vector_to_numpy(std::move(csr.indices)),
                        vector_to_numpy(std::move(csr.offsets)));
}

template <class Act>
nb::object prepared(const PyMatrix& matrix, const Act& act) {
  return matrix.with_data([&]<class T>(const Data<T>& data) {
    const Call call;
    OwnEntries<T> entries;
    {
      const nb::gil_scoped_release no_gil;
      entries = copy_entries(data);
      act(entries);
    }
    return to_python(std::move(entries));
  });
}

}  // namespace

void bind_prepare(nb::module_& module) {
  module.def("prepare_learning", [](const PyMatrix& matrix, const std::string& steps) {
    Preparation preparation(steps);
    nb::object entries = prepared(matrix, [&](auto& own) { preparation.learn_and_apply(own); });
    return std::pair(entries, state_of(preparation));
  });
  module.def("prepare", [](const PyMatrix& matrix, const State& state) {
    const Preparation preparation = restored(state);
    return prepared(matrix, [&](auto& own) { preparation.apply(own); });
  });
}

}  // namespace anmf::python
