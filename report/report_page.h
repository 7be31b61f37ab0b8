// SPDX-License-Identifier: MIT
// report.html: the bundled page with the data of one run or one comparison in it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace anmf::report {

inline constexpr std::string_view kReportFile = "report.html";

/// False if the program was built without the page; then no report can be made.
[[nodiscard]] bool has_report_page();

/// The whole HTML file. Strings in `data` may hold anything: none can end the block that carries them, and
/// bytes that are not UTF-8 are replaced.
[[nodiscard]] std::string report_page(const nlohmann::ordered_json& data);

}  // namespace anmf::report
