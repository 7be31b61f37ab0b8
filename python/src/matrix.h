// SPDX-License-Identifier: MIT
// M as Python hands it over: numpy's memory as it lies, or the arrays of a scipy matrix.
#pragma once

#include <memory>
#include <variant>

#include "anmf/data.h"
#include "arrays.h"

namespace anmf::python {

/// One matrix and the type in which it is computed with. It keeps the caller's arrays alive.
class PyMatrix {
 public:
  template <class T>
  PyMatrix(std::unique_ptr<Data<T>> data, nb::object memory)
      : data_(std::move(data)), memory_(std::move(memory)) {}

  /// Calls act(data) with the Data<float> or Data<double>.
  template <class Act>
  [[nodiscard]] decltype(auto) with_data(const Act& act) const {
    return std::visit(
        [&](const auto& data) {
          if (data == nullptr) throw nb::value_error("the matrix has become a part of another one");
          return act(*data);
        },
        data_);
  }

  /// A matrix that make(data) makes of this one, whose memory it keeps; nothing stays here.
  template <class Make>
  [[nodiscard]] std::unique_ptr<PyMatrix> into(const Make& make) {
    (void)with_data([](const auto&) { return 0; });
    return std::visit(
        [&]<class T>(std::unique_ptr<Data<T>>& data) {
          return std::make_unique<PyMatrix>(make(std::move(data)), memory_);
        },
        data_);
  }

  /// The same if it is computed with in T, else null.
  template <class T>
  [[nodiscard]] const Data<T>* data_of() const {
    const auto* const data = std::get_if<std::unique_ptr<Data<T>>>(&data_);
    return data == nullptr ? nullptr : data->get();
  }

 private:
  std::variant<std::unique_ptr<Data<float>>, std::unique_ptr<Data<double>>> data_;
  nb::object memory_;
};

void bind_matrix(nb::module_& module);

}  // namespace anmf::python
