// SPDX-License-Identifier: MIT
// The report page without its data, as web/build.mjs bundles it.
#pragma once

#include <string_view>

namespace anmf::report {

/// Empty if the program was built without it (ANMF_REPORT=OFF).
[[nodiscard]] std::string_view report_template();

}  // namespace anmf::report
