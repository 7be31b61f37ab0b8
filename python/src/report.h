// SPDX-License-Identifier: MIT
#pragma once

#include <nanobind/nanobind.h>

#include "anmf/matrix.h"
#include "labels.h"

namespace anmf::python {

/// What is known of the lines of a matrix of this size, as label_arguments() of _report.py has it.
[[nodiscard]] report::ReportLabels labels_from(const nanobind::dict& known, Index rows, Index cols);

void bind_report(nanobind::module_& module);

}  // namespace anmf::python
