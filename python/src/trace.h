// SPDX-License-Identifier: MIT
// A trace between the engine and numpy: the columns of the engine's table, eight bytes each.
#pragma once

#include <nanobind/nanobind.h>

#include <vector>

#include "anmf/result.h"

namespace anmf::python {

namespace nb = nanobind;

/// One record as the numbers of its columns.
[[nodiscard]] nb::list numbers_of(const IterationRecord& record);

/// The rows of a structured array of numpy, and back.
[[nodiscard]] nb::bytes packed(const std::vector<IterationRecord>& trace);
[[nodiscard]] std::vector<IterationRecord> unpacked(const nb::bytes& trace);

void bind_trace(nb::module_& module);

}  // namespace anmf::python
