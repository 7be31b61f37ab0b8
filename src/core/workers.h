// SPDX-License-Identifier: MIT
// Who does the work of one run: the threads of this process, and the reducer that joins it with others.
#pragma once

#include <span>

#include "anmf/factorize.h"
#include "anmf/parallel.h"

namespace anmf {

struct Workers {
  ThreadPool& pool;
  Reducer* reducer = nullptr;  // none in one process

  void sum(std::span<double> values) const {
    if (reducer != nullptr) reducer->sum(values);
  }
};

}  // namespace anmf
