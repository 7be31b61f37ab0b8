// SPDX-License-Identifier: MIT
// The calls that compute. The GIL is released while they do.
#include "factorize.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "anmf/factorize.h"
#include "anmf/fit_quality.h"
#include "anmf/init.h"
#include "anmf/nnls.h"
#include "call.h"
#include "matrix.h"
#include "options.h"
#include "run_description.h"
#include "trace.h"

namespace anmf::python {
namespace {

/// Calls back to Python.
template <class T>
class PyObserver final : public Observer<T> {
 public:
  PyObserver(nb::object callback, Call& call) : callback_(std::move(callback)), call_(call) {}

  using Action = typename Observer<T>::Action;

  void interrupt() override { call_.look(); }

  Action on_iteration(const IterationRecord& record, ConstMatrixView<T> /*W*/,
                      ConstMatrixView<T> /*Ht*/) override {
    if (callback_.is_none()) return Action::proceed;
    const nb::gil_scoped_acquire gil;
    const nb::object stop = callback_(*numbers_of(record));
    return nb::cast<bool>(nb::bool_(stop)) ? Action::stop : Action::proceed;
  }

 private:
  nb::object callback_;
  Call& call_;
};

template <class T>
std::optional<Matrix<T>> given(const nb::object& factor) {
  if (factor.is_none()) return std::nullopt;
  return copy(nb::cast<RowMajorArray<T>>(factor));
}

template <class T>
nb::dict describe(const Data<T>& data, const Options& options, Result<T>&& result) {
  nb::dict fields;
  fields["run"] = report::describe_run(report::summarize("X", data), options, result).dump();
  fields["W"] = to_numpy(std::move(result.W));
  fields["H"] = to_numpy(std::move(result.H));
  fields["scale"] = result.scale;
  fields["error"] = result.error;
  fields["relative_error"] = result.relative_error;
  fields["penalty"] = result.penalty;
  fields["kkt"] = result.kkt;
  fields["promised_decrease"] = result.promised_decrease;
  fields["observed"] = data.observed();
  fields["heldout_error"] = result.heldout_error;
  fields["heldout_relative_error"] = result.heldout_relative_error;
  fields["heldout_entries"] = result.heldout_entries;
  fields["iterations"] = result.iterations;
  fields["compressed_iterations"] = result.effective.compressed_iterations;
  fields["seconds"] = result.seconds;
  fields["status"] = std::string(to_string(result.status));
  fields["message"] = result.message;
  fields["notes"] = result.notes;
  fields["trace"] = packed(result.trace);
  fields["method"] = std::string(result.effective.method);
  return fields;
}

nb::dict factorize_matrix(const PyMatrix& M, const Options& options, const nb::object& W, const nb::object& H,
                          nb::object callback) {
  return M.with_data([&]<class T>(const Data<T>& data) {
    const Start<T> start{.W = given<T>(W), .H = given<T>(H)};
    Call call;
    PyObserver<T> observer(std::move(callback), call);
    std::optional<Result<T>> result;
    {
      const nb::gil_scoped_release no_gil;
      result = factorize(data, options, start, &observer);
    }
    return describe(data, options, std::move(*result));
  });
}

std::pair<nb::object, nb::object> start_factors_of(const PyMatrix& M, Index rank, const std::string& init,
                                                   std::uint64_t seed, int threads) {
  const Init method = init_from_word(init);
  return M.with_data([&]<class T>(const Data<T>& data) {
    Start<T> start;
    Call call;
    {
      const nb::gil_scoped_release no_gil;
      start = initial_factors<T>(data, rank, method, seed, threads, call.interrupt());
    }
    return std::pair(to_numpy(std::move(*start.W)), to_numpy(std::move(*start.H)));
  });
}

std::pair<nb::object, double> fit_rows_of(const PyMatrix& M, const nb::object& H, const std::string& loss,
                                          double alpha_W, double l1_ratio, int threads) {
  return M.with_data([&]<class T>(const Data<T>& data) {
    const auto components = nb::cast<RowMajorArray<T>>(H);
    NnlsResult<T> result;
    Call call;
    {
      const nb::gil_scoped_release no_gil;
      result = fit_rows<T>(data, view(components),
                           {.loss = loss, .alpha_W = alpha_W, .l1_ratio = l1_ratio, .threads = threads},
                           call.interrupt());
    }
    return std::pair(to_numpy(std::move(result.X)), result.kkt);
  });
}

/// sqrt(2 D), of the entries that count.
double fit_error_of(const PyMatrix& M, const nb::object& W, const nb::object& H, const std::string& loss,
                    int threads) {
  return M.with_data([&]<class T>(const Data<T>& data) {
    Matrix<T> weights = copy(nb::cast<RowMajorArray<T>>(W));
    const auto components = nb::cast<RowMajorArray<T>>(H);
    Call call;
    const nb::gil_scoped_release no_gil;
    return fit_error<T>(data, std::move(weights), view(components), {.loss = loss, .threads = threads},
                        call.interrupt());
  });
}

std::pair<nb::object, double> nnls_of(const RowMajorArray<double>& A, const RowMajorArray<double>& B,
                                      int threads) {
  NnlsResult<double> result;
  Call call;
  {
    const nb::gil_scoped_release no_gil;
    result = nnls(view(A), view(B), threads, call.interrupt());
  }
  return {to_numpy(std::move(result.X)), result.kkt};
}

/// From the factors of a factorization, if there are some.
double best_rank_error_of(const PyMatrix& M, Index rank, const nb::object& W, const nb::object& H,
                          int threads) {
  return M.with_data([&]<class T>(const Data<T>& data) {
    Result<T> result;
    if (!W.is_none()) {
      result.W = copy(nb::cast<RowMajorArray<T>>(W));
      result.H = copy(nb::cast<RowMajorArray<T>>(H));
    }
    Call call;
    const nb::gil_scoped_release no_gil;
    return result.W.size() == 0 ? best_rank_error(data, rank, threads, call.interrupt())
                                : best_rank_error(data, result, threads, call.interrupt());
  });
}

}  // namespace

void bind_factorize(nb::module_& module) {
  module.def("factorize", &factorize_matrix, nb::arg("matrix"), nb::arg("options"), nb::arg("W").none(),
             nb::arg("H").none(), nb::arg("callback").none());
  module.def("initial_factors", &start_factors_of, nb::arg("matrix"), nb::arg("rank"), nb::arg("init"),
             nb::arg("seed"), nb::arg("threads"));
  module.def("fit_rows", &fit_rows_of, nb::arg("matrix"), nb::arg("H"), nb::arg("loss"), nb::arg("alpha_W"),
             nb::arg("l1_ratio"), nb::arg("threads"));
  module.def("fit_error", &fit_error_of, nb::arg("matrix"), nb::arg("W"), nb::arg("H"), nb::arg("loss"),
             nb::arg("threads"));
  module.def("best_rank_error", &best_rank_error_of, nb::arg("matrix"), nb::arg("rank"), nb::arg("W").none(),
             nb::arg("H").none(), nb::arg("threads"));
  module.def("nnls", &nnls_of, nb::arg("A"), nb::arg("B"), nb::arg("threads"));
}

}  // namespace anmf::python
