// SPDX-License-Identifier: MIT
// The report page of a factorization that Python holds.
#include "report.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "anmf/error.h"
#include "anmf/fit_quality.h"
#include "arrays.h"
#include "call.h"
#include "factorization_report.h"
#include "fit_report.h"
#include "matrix.h"
#include "report_page.h"
#include "trace.h"

namespace anmf::python {
namespace {

report::Axis axis_of(const std::string& word) {
  return word == "rows" ? report::Axis::rows : report::Axis::columns;
}

template <class T>
std::string page_of(const RowMajorArray<T>& W, const RowMajorArray<T>& H, const std::vector<double>& scale,
                    const nb::bytes& trace, const std::string& title, const std::string& call,
                    const std::string& run, const report::ReportLabels& labels, const PyMatrix* matrix,
                    int threads) {
  Result<T> result{.W = copy(W), .H = copy(H), .scale = scale};
  result.trace = unpacked(trace);
  auto description = nlohmann::ordered_json::parse(run);
  const Data<T>* const M = matrix == nullptr ? nullptr : matrix->data_of<T>();
  Call call_in_progress;
  const nb::gil_scoped_release no_gil;
  nlohmann::ordered_json fit;
  if (M != nullptr) {
    description["best_rank_error"] = best_rank_error(*M, result, threads, call_in_progress.interrupt());
    fit = report::describe_fit(*M, result, labels, threads, call_in_progress.interrupt());
  } else {
    description["best_rank_note"] = "It needs X, which the report was not given.";
  }
  return report::report_page(
      report::factorization_report(title, call, description, result, labels, std::move(fit)));
}

using PyGrouping = std::tuple<std::string, std::vector<std::string>, nb::bytes>;

/// Names and words for the samples, of which there are `samples`.
void take_samples(report::ReportLabels& labels, const std::vector<std::string>& names,
                  const std::vector<PyGrouping>& groupings, std::size_t samples) {
  const auto expect = [&](const std::string& what, std::size_t count) {
    if (count == samples) return;
    throw InvalidInput(what + " is for " + std::to_string(count) + " samples; X has " +
                       std::to_string(samples) + " of them, its " +
                       (labels.sample_axis() == report::Axis::rows ? "rows." : "columns."));
  };
  if (!names.empty()) expect("sample_names", names.size());
  labels.sample_names = names;
  for (const auto& [name, words, codes] : groupings) {
    expect(name, codes.size());
    const auto* const begin = static_cast<const std::uint8_t*>(codes.data());
    labels.groupings.push_back({.name = name, .words = words, .codes = {begin, begin + codes.size()}});
  }
}

std::string page(const nb::object& W, const nb::object& H, const std::vector<double>& scale,
                 const nb::bytes& trace, const std::string& title, const std::string& call,
                 const std::string& run, const nb::dict& known, const PyMatrix* matrix, int threads) {
  const auto size = [](const nb::object& F, int axis) { return nb::cast<Index>(F.attr("shape")[axis]); };
  const report::ReportLabels labels = labels_from(known, size(W, 0), size(H, 1));
  if (RowMajorArray<float> single; nb::try_cast(W, single, false)) {
    return page_of<float>(single, nb::cast<RowMajorArray<float>>(H), scale, trace, title, call, run, labels,
                          matrix, threads);
  }
  return page_of<double>(nb::cast<RowMajorArray<double>>(W), nb::cast<RowMajorArray<double>>(H), scale, trace,
                         title, call, run, labels, matrix, threads);
}

}  // namespace

report::ReportLabels labels_from(const nb::dict& known, Index rows, Index cols) {
  const auto text = [&](const char* name) { return nb::cast<std::string>(known[name]); };
  report::ReportLabels labels{.image_axis = axis_of(text("image_side")),
                              .names = nb::cast<std::vector<std::string>>(known["names"]),
                              .name_axis = axis_of(text("name_side"))};
  if (const nb::object shape = known["image_shape"]; !shape.is_none())
    labels.image_shape = {.height = nb::cast<Index>(shape[0]), .width = nb::cast<Index>(shape[1])};
  if (auto places = nb::cast<std::vector<double>>(known["places"]); !places.empty()) {
    labels.ordered = {
        .places = std::move(places), .name = text("place_name"), .axis = axis_of(text("place_side"))};
  }
  take_samples(labels, nb::cast<std::vector<std::string>>(known["sample_names"]),
               nb::cast<std::vector<PyGrouping>>(known["groupings"]),
               static_cast<std::size_t>(labels.sample_axis() == report::Axis::rows ? rows : cols));
  return labels;
}

void bind_report(nb::module_& module) {
  module.attr("has_report_page") = report::has_report_page();
  module.attr("most_words") = io::kMostWords;
  module.def("report_page", &page, nb::arg("W"), nb::arg("H"), nb::arg("scale"), nb::arg("trace"),
             nb::arg("title"), nb::arg("call"), nb::arg("run"), nb::arg("labels"), nb::arg("matrix").none(),
             nb::arg("threads"));
}

}  // namespace anmf::python
