// SPDX-License-Identifier: MIT
#pragma once

#include <nanobind/nanobind.h>

namespace anmf::python {

void bind_survey_options(nanobind::module_& module);

}  // namespace anmf::python
