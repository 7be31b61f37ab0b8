// SPDX-License-Identifier: MIT
#pragma once

#include <nanobind/nanobind.h>

namespace anmf::python {

void bind_survey(nanobind::module_& module);

}  // namespace anmf::python
