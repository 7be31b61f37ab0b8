// SPDX-License-Identifier: MIT
#include "data/transposed_data.h"

namespace anmf {

template <class T>
std::unique_ptr<Data<T>> transposed(std::unique_ptr<Data<T>> data) {
  return std::make_unique<TransposedData<T>>(std::move(data));
}

template std::unique_ptr<Data<float>> transposed(std::unique_ptr<Data<float>>);
template std::unique_ptr<Data<double>> transposed(std::unique_ptr<Data<double>>);

}  // namespace anmf
