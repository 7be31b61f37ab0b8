// SPDX-License-Identifier: MIT
// The method table: acceleration is data, not classes.
#include <fmt/format.h>

#include <array>

#include "anmf/error.h"
#include "anmf/options.h"
#include "anmf/result.h"

namespace anmf {
namespace {

using enum InnerStopMode;

constexpr std::array kMethods = {
    Method{"e-a-hals", RuleKind::hals, {block, 1, 0.1}, true, "accelerated HALS with extrapolation"},
    Method{"e-a-mu",
           RuleKind::mu,
           {block, 2, 0.1},
           true,
           "accelerated multiplicative updates with extrapolation"},
    Method{
        "a-hals", RuleKind::hals, {hybrid, 0.5, 0.1}, false, "accelerated HALS: several sweeps per product"},
    Method{"a-mu", RuleKind::mu, {hybrid, 2, 0.1}, false, "accelerated multiplicative updates"},
    Method{"a-pg", RuleKind::pg, {hybrid, 0.5, 0}, false, "accelerated projected gradient"},
    Method{"hals", RuleKind::hals, {fixed, 0, 0}, false, "hierarchical alternating least squares, one sweep"},
    Method{"mu", RuleKind::mu, {fixed, 0, 0}, false, "multiplicative updates of Lee and Seung"},
    Method{"pg",
           RuleKind::pg,
           {projected_gradient, 0, 0},
           false,
           "projected gradient of Lin with its own tolerance"},
    Method{"anls",
           RuleKind::bpp,
           {fixed, 0, 0},
           false,
           "alternating exact least squares, block principal pivoting"},
};

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
