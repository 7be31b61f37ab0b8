// SPDX-License-Identifier: MIT
// Who does the work of one run: the threads of this process, and the reducer that joins it with others.
#pragma once

#include <array>
#include <span>

#include "anmf/parallel.h"

namespace anmf {

struct Workers {
  ThreadPool& pool;
  Reducer* reducer = nullptr;  // none in one process

  void sum(std::span<double> values) const {
    if (reducer != nullptr) reducer->sum(values);
  }
  void max(std::span<double> values) const {
    if (reducer != nullptr) reducer->max(values);
  }
  /// What all agree on where each has measured: clocks differ, and decisions that hang on them must not.
  [[nodiscard]] double mean(double value) const {
    if (reducer == nullptr) return value;
    std::array<double, 2> total = {value, 1};
    reducer->sum(total);
    return total[0] / total[1];
  }
};

}  // namespace anmf
