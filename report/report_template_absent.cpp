// SPDX-License-Identifier: MIT
// Stands in for the bundled page where ANMF_REPORT is OFF.
#include "report_template.h"

namespace anmf::report {

std::string_view report_template() { return {}; }

}  // namespace anmf::report
