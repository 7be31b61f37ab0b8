// SPDX-License-Identifier: MIT
#pragma once

#include "arrays.h"

namespace anmf::python {

void bind_prepare(nb::module_& module);

}  // namespace anmf::python
