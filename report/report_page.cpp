// SPDX-License-Identifier: MIT
#include "report_page.h"

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "report_template.h"

namespace anmf::report {
namespace {

constexpr std::string_view kPlaceholder = "{{data}}";

}  // namespace

bool has_report_page() { return !report_template().empty(); }

std::string report_page(const nlohmann::ordered_json& data) {
  const std::string_view page = report_template();
  const std::size_t place = page.find(kPlaceholder);
  if (place == std::string_view::npos) throw std::logic_error("the report page has no place for its data");

  const std::string json = data.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  std::string html;
  html.reserve(page.size() + json.size() + json.size() / 64);
  html += page.substr(0, place);
  // In JSON a '<' can stand in strings only, and there it may be written as an escape. Without one, no
  // string can close the script element or open a comment.
  for (const char c : json) {
    if (c == '<') {
      html += "\\u003c";
    } else {
      html += c;
    }
  }
  html += page.substr(place + kPlaceholder.size());
  return html;
}

}  // namespace anmf::report
