// SPDX-License-Identifier: MIT
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "anmf/options.h"

namespace anmf::python {

namespace nb = nanobind;

[[nodiscard]] Init init_from_word(const std::string& word);

void bind_options(nb::module_& module);

}  // namespace anmf::python
