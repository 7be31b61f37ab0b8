// SPDX-License-Identifier: MIT
#include "experiments/variant.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <tuple>
#include <variant>
#include <vector>

#include "anmf/error.h"
#include "anmf/option_table.h"

namespace anmf::cli {
namespace {

constexpr double kDelta = 1e-16;  // of rules that clamp, in float64, which all comparisons use

/// One spelling for inner stops that act alike.
InnerStop canonical(InnerStop stop, const Rule& rule) {
  if (rule.exact) return {.mode = InnerStopMode::fixed};
  if (stop.mode == InnerStopMode::hybrid && stop.epsilon == 0) stop.mode = InnerStopMode::fixed;
  if (stop.mode == InnerStopMode::hybrid && stop.alpha == 0) stop.mode = InnerStopMode::fixed;
  const bool has_alpha =
      stop.mode != InnerStopMode::dynamic && stop.mode != InnerStopMode::projected_gradient;
  const bool has_epsilon =
      stop.mode != InnerStopMode::fixed && stop.mode != InnerStopMode::projected_gradient;
  if (!has_alpha) stop.alpha = 0;
  if (!has_epsilon) stop.epsilon = 0;
  return stop;
}

double parse_value(std::string_view key, std::string_view text) {
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || stop != text.data() + text.size()) {
    throw InvalidInput(fmt::format("{} = '{}' is not a number.", key, text));
  }
  return value;
}

/// Options in which this option has this word.
Options with_word(std::string_view name, std::string_view word) {
  Options options;
  const auto& member = std::get<WordMember>(find_option(name).member);
  if (member.set(options, word)) return options;
  const auto choices = fmt::format("{}{}", member.words.size() == 2 ? "" : "one of ",
                                   fmt::join(member.words, member.words.size() == 2 ? " or " : ", "));
  throw InvalidInput(fmt::format("{} = \"{}\" is unknown; choose {}.", name, word, choices));
}

}  // namespace

bool Behaviour::operator==(const Behaviour& other) const {
  const auto all = [](const Behaviour& b) {
    return std::tuple(b.rule.name, b.extrapolated, b.inner_stop.mode, b.inner_stop.alpha,
                      b.inner_stop.epsilon, b.delta, b.rho);
  };
  return all(*this) == all(other);
}

Behaviour behaviour(const Variant& variant) {
  const Method& method = find_method(variant.method);
  Behaviour result{.rule = method.rule, .extrapolated = method.extrapolated};
  result.inner_stop = canonical({.mode = variant.inner_stop.value_or(method.inner_stop.mode),
                                 .alpha = variant.alpha.value_or(method.inner_stop.alpha),
                                 .epsilon = variant.epsilon.value_or(method.inner_stop.epsilon)},
                                method.rule);
  if (method.rule.clamps) result.delta = variant.delta.value_or(kDelta);
  // Where no budget is asked for, rho has no part.
  const bool uses_rho = result.inner_stop.alpha > 0;
  result.rho = uses_rho ? variant.rho : RhoSource::flops;
  return result;
}

Behaviour behaviour(std::string_view method) { return behaviour(Variant{.method = std::string(method)}); }

Behaviour with_inner_stop(std::string_view method, InnerStopMode mode, double alpha, double epsilon) {
  return behaviour(
      Variant{.method = std::string(method), .alpha = alpha, .epsilon = epsilon, .inner_stop = mode});
}

std::string describe(const Behaviour& b) {
  std::vector<std::string> parts;
  const InnerStop& stop = b.inner_stop;
  switch (stop.mode) {
    case InnerStopMode::fixed:
      if (b.rule.exact) return "exact half-steps";
      parts.push_back(fmt::format("alpha {}", stop.alpha));
      break;
    case InnerStopMode::dynamic:
      parts.push_back(fmt::format("dynamic, epsilon {}", stop.epsilon));
      break;
    case InnerStopMode::hybrid:
      parts.push_back(fmt::format("alpha {}, epsilon {}", stop.alpha, stop.epsilon));
      break;
    case InnerStopMode::block:
      parts.push_back(fmt::format("alpha {}, epsilon {} by blocks of rows", stop.alpha, stop.epsilon));
      break;
    case InnerStopMode::projected_gradient:
      parts.emplace_back("Lin's own stop");
      break;
  }
  if (b.rule.clamps && b.delta != kDelta) parts.push_back(fmt::format("delta {}", b.delta));
  if (b.rho == RhoSource::measured) parts.emplace_back("rho measured");
  return fmt::format("{}", fmt::join(parts, ", "));
}

InnerStopMode parse_inner_stop(std::string_view name) {
  return with_word("inner_stop", name).inner_stop.value_or(InnerStopMode::fixed);  // it has one
}

RhoSource parse_rho(std::string_view name) { return with_word("rho", name).rho; }

Variant parse_variant(std::string_view text) {
  Variant variant;
  std::size_t colon = std::min(text.find(':'), text.size());
  variant.label = text;
  variant.method = text.substr(0, colon);
  while (colon < text.size()) {
    text.remove_prefix(colon + 1);
    colon = std::min(text.find(':'), text.size());
    const std::string_view word = text.substr(0, colon);
    const std::size_t equals = std::min(word.find('='), word.size());
    const std::string_view key = word.substr(0, equals);
    const std::string_view value = word.substr(std::min(equals + 1, word.size()));
    if (key == "alpha") {
      variant.alpha = parse_value(key, value);
    } else if (key == "epsilon") {
      variant.epsilon = parse_value(key, value);
    } else if (key == "delta") {
      variant.delta = parse_value(key, value);
    } else if (key == "inner_stop") {
      variant.inner_stop = parse_inner_stop(value);
    } else if (key == "rho") {
      variant.rho = parse_rho(value);
    } else {
      throw InvalidInput(fmt::format(
          "'{}' is no parameter of a method; there are alpha, epsilon, delta, inner_stop and rho.", key));
    }
  }
  check(variant);
  return variant;
}

void check(const Variant& variant) {
  Options options = engine_options(variant);
  options.rank = 1;
  if (!variant.loss) options.loss = loss_name(minimises(find_method(variant.method), 2) ? 2 : 1);
  anmf::check(options);
}

Options engine_options(const Variant& variant) {
  Options options;
  options.method = variant.method;
  if (variant.loss) options.loss = *variant.loss;
  options.alpha = variant.alpha;
  options.epsilon = variant.epsilon;
  options.delta = variant.delta;
  options.inner_stop = variant.inner_stop;
  options.rho = variant.rho;
  options.compress = Compress::off;  // every product is with M itself, as in the paper
  options.max_iterations = std::numeric_limits<Index>::max();
  options.tolerance = 0;
  return options;
}

}  // namespace anmf::cli
