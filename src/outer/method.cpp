// SPDX-License-Identifier: MIT
// The method table: acceleration is data, not classes.
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <ranges>
#include <system_error>
#include <utility>
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
    Method{"e-spn", kSpn, {block, 0.5, 0.1}, true, "Newton with a shared Gram matrix and extrapolation"},
    Method{"spn",
           kSpn,
           {block, 0.5, 0.1},
           false,
           "Newton with a shared Gram matrix, for losses but least squares"},
    Method{"e-ccd", kCcd, {block, 0.5, 0.1}, true, "coordinate descent with extrapolation"},
    Method{"ccd", kCcd, {block, 0.5, 0.1}, false, "guarded coordinate descent for Kullback-Leibler"},
};

/// The first name of a loss is the one that is shown.
constexpr std::array<std::pair<std::string_view, double>, 5> kLosses = {
    {{"frobenius", 2}, {"kullback-leibler", 1}, {"kl", 1}, {"itakura-saito", 0}, {"is", 0}}};
// Beyond these a power of an entry leaves the range of floating point at once.
constexpr double kLeastBeta = -5;
constexpr double kGreatestBeta = 5;

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

bool minimises(const Method& method, double beta, const MatrixKind& kind) {
  const bool by_entry = kind.counted == Counted::each || kind.counted == Counted::numbers;
  if (kind.weighted && !method.rule.weighs) return false;
  if (by_entry && beta == 2 && method.rule.losses == RuleLosses::all_but_least_squares) return true;
  if (kind.counted == Counted::stored && method.rule.losses == RuleLosses::all_but_least_squares)
    return false;
  switch (method.rule.losses) {
    case RuleLosses::least_squares:
      return beta == 2;
    case RuleLosses::kullback_leibler:
      return beta == 1;
    case RuleLosses::all_but_least_squares:
      return beta != 2;
    case RuleLosses::all:
      break;
  }
  return true;
}

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

const Method& find_method(std::string_view name, double beta, const MatrixKind& kind) {
  // docs/performance.md has the experiments. Below 1 a zero of M is a trap for a model that comes near it,
  // which slow updates avoid for longer.
  if (name == "auto" && beta != 2) {
    const bool zeros_are_dear = kind.counted == Counted::stored;  // what is not stored costs nothing
    name = !kind.sparse || (beta > 1 && !zeros_are_dear) ? "e-spn" : beta == 1 ? "e-ccd" : "e-a-mu";
  }
  const bool by_entry = kind.counted == Counted::each || kind.counted == Counted::numbers;
  if (name == "auto" && by_entry) name = "e-spn";
  const Method& method = find_method(name);
  if (minimises(method, beta, kind)) return method;
  std::vector<std::string_view> able = {"auto"};
  for (const Method& other : kMethods) {
    if (minimises(other, beta, kind)) able.push_back(other.name);
  }
  throw InvalidInput(fmt::format("method = \"{}\" cannot minimise the loss {}{}; those that can are {}.",
                                 name, loss_name(beta),
                                 kind.weighted ? " with weights or missing entries" : "", in_words(able)));
}

double beta_of(std::string_view loss) {
  for (const auto& [name, beta] : kLosses) {
    if (loss == name) return beta;
  }
  double beta = 0;
  const auto [end, problem] = std::from_chars(loss.data(), loss.data() + loss.size(), beta);
  const bool whole = problem == std::errc() && end == loss.data() + loss.size();
  if (whole && beta >= kLeastBeta && beta <= kGreatestBeta) return beta;
  throw InvalidInput(
      fmt::format("loss = \"{}\" is unknown; choose frobenius, kullback-leibler (kl), itakura-saito (is), or "
                  "a number beta "
                  "between {} and {}.",
                  loss, kLeastBeta, kGreatestBeta));
}

std::string loss_name(double beta) {
  for (const auto& [name, value] : kLosses) {
    if (beta == value) return std::string(name);
  }
  return fmt::format("{}", beta);
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
