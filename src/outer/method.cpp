// SPDX-License-Identifier: MIT
// The method table: acceleration is data, not classes.
#include <fmt/format.h>

#include <array>
#include <ranges>
#include <vector>

#include "anmf/error.h"
#include "anmf/options.h"
#include "anmf/result.h"
#include "rules/rule_table.h"

namespace anmf {
namespace {

using enum InnerStopMode;

constexpr std::array kMethods = {
    Method{"e-a-hals", kHals, {block, 1, 0.1}, true, "accelerated HALS with extrapolation"},
    Method{"e-a-mu", kMu, {block, 2, 0.1}, true, "accelerated multiplicative updates with extrapolation"},
    Method{"a-hals", kHals, {hybrid, 0.5, 0.1}, false, "accelerated HALS: several sweeps per product"},
    Method{"a-mu", kMu, {hybrid, 2, 0.1}, false, "accelerated multiplicative updates"},
    Method{"a-pg", kPg, {hybrid, 0.5, 0}, false, "accelerated projected gradient"},
    Method{"hals", kHals, {fixed, 0, 0}, false, "hierarchical alternating least squares, one sweep"},
    Method{"mu", kMu, {fixed, 0, 0}, false, "multiplicative updates of Lee and Seung"},
    Method{"pg", kPg, {projected_gradient, 0, 0}, false, "projected gradient of Lin with its own tolerance"},
    Method{"anls", kBpp, {fixed, 0, 0}, false, "alternating exact least squares, block principal pivoting"},
};

/// "a, b and c".
std::string in_words(const std::vector<std::string_view>& names) {
  std::string words;
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (k > 0) words += k + 1 < names.size() ? ", " : " and ";
    words += names[k];
  }
  return words;
}

}  // namespace

std::span<const Method> methods() { return kMethods; }

const Method& find_method(std::string_view name) {
  // The first one is the fastest on dense and on sparse data.
  if (name == "auto") return kMethods.front();
  for (const Method& method : kMethods) {
    if (method.name == name) return method;
  }
  std::string names = "auto";
  for (const Method& method : kMethods) names += fmt::format(", {}", method.name);
  throw InvalidInput(fmt::format("method = \"{}\" is unknown; choose one of {}.", name, names));
}

std::string rules_that(bool Rule::* can) {
  std::vector<std::string_view> names;
  for (const Rule& rule : kRules) {
    if (rule.*can) names.push_back(rule.name);
  }
  return in_words(names);
}

std::string methods_that(bool Rule::* can) {
  std::vector<std::string_view> names;
  // From the plain ones to those with everything.
  for (const Method& method : kMethods | std::views::reverse) {
    if (method.rule.*can) names.push_back(method.name);
  }
  return in_words(names);
}

std::string_view to_string(Status status) {
  switch (status) {
    case Status::converged:
      return "converged";
    case Status::iteration_limit:
      return "iteration_limit";
    case Status::time_limit:
      return "time_limit";
    case Status::stopped_by_observer:
      return "stopped_by_observer";
  }
  return "";
}

}  // namespace anmf
