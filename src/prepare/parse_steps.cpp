// SPDX-License-Identifier: MIT
// A list of steps in words: "total=1e4,log1p,top-variance=2000".
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include "anmf/error.h"
#include "prepare/steps.h"

namespace anmf {
namespace {

/// How many letters must be put in, left out or exchanged to make one word of another.
std::size_t letters_between(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t exchanged = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, exchanged});
    }
  }
  return row.back();
}

[[noreturn]] void fail_unknown(std::string_view name) {
  const auto& kinds = prepare_kinds();
  const auto nearest = std::min_element(kinds.begin(), kinds.end(), [&](const auto& a, const auto& b) {
    return letters_between(name, a.name) < letters_between(name, b.name);
  });
  const bool close = letters_between(name, nearest->name) <= std::max<std::size_t>(2, name.size() / 3);
  std::vector<std::string_view> names;
  names.reserve(kinds.size());
  for (const PrepareKindInfo& kind : kinds) names.push_back(kind.name);
  throw InvalidInput(fmt::format("'{}' is no step of a preparation{}; the steps are {}.", name,
                                 close ? fmt::format(" (did you mean {}?)", nearest->name) : "",
                                 fmt::join(names, ", ")));
}

double number_of(const PrepareKindInfo& kind, std::string_view text) {
  double number = 0;
  const char* const end = text.data() + text.size();
  // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage): the end is given too
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  const bool whole = kind.kind != PrepareKind::top_variance || std::trunc(number) == number;
  if (error != std::errc{} || rest != end || !std::isfinite(number) || number <= 0 || !whole) {
    throw InvalidInput(fmt::format("{} must be followed by a {} above 0, as in {}={}, not by '{}'.",
                                   kind.name,
                                   kind.kind == PrepareKind::top_variance ? "whole number" : "number",
                                   kind.name, usual_number(kind.kind), text));
  }
  return number;
}

Side side_of(const PrepareKindInfo& kind, std::string_view text) {
  if (kind.side && text == "rows") return Side::W;
  if (kind.side && text == "columns") return Side::H;
  throw InvalidInput(kind.side ? fmt::format("{}: '{}' must be rows or columns, as in {}={}:columns.",
                                             kind.name, text, kind.name, usual_number(kind.kind))
                               : fmt::format("{} is not followed by ':{}'; --transpose, or the transpose of "
                                             "the matrix, exchanges samples and features.",
                                             kind.name, text));
}

PrepareStep parse_step(std::string_view text) {
  std::string_view side;
  if (const auto colon = text.find(':'); colon != std::string_view::npos) {
    side = text.substr(colon + 1);
    text = text.substr(0, colon);
    if (side.empty()) throw InvalidInput(fmt::format("'{}:' must be followed by rows or columns.", text));
  }
  const auto equals = text.find('=');
  const std::string_view name = text.substr(0, equals);
  const auto& kinds = prepare_kinds();
  const auto kind = std::find_if(kinds.begin(), kinds.end(), [&](const auto& k) { return k.name == name; });
  if (kind == kinds.end()) fail_unknown(name);
  const bool has_number = equals != std::string_view::npos;
  if (has_number != kind->has_number) {
    throw InvalidInput(kind->has_number ? fmt::format("{} must be followed by a number, as in {}={}.", name,
                                                      name, usual_number(kind->kind))
                                        : fmt::format("{} takes no number, but '{}' has one.", name, text));
  }
  PrepareStep step;
  step.kind = kind->kind;
  if (has_number) step.number = number_of(*kind, text.substr(equals + 1));
  if (kind->side) step.side = *kind->side;
  if (!side.empty()) step.side = side_of(*kind, side);
  return step;
}

}  // namespace

std::string_view usual_number(PrepareKind kind) {
  if (kind == PrepareKind::total) return "1e4";
  return kind == PrepareKind::max ? "1" : "2000";
}

std::vector<PrepareStep> parse_steps(std::string_view list) {
  std::vector<PrepareStep> steps;
  if (list == "none") return steps;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t comma = std::min(list.find(',', begin), list.size());
    std::string_view text = list.substr(begin, comma - begin);
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    text = text.substr(0, text.find_last_not_of(' ') + 1);
    if (text.empty())
      throw InvalidInput("a step of the preparation is empty; write steps like total=1e4,log1p, or none.");
    steps.push_back(parse_step(text));
    begin = comma + 1;
  }
  return steps;
}

std::string to_string(const PrepareStep& step) {
  const PrepareKindInfo& kind = info_of(step.kind);
  std::string text(kind.name);
  if (kind.has_number) text += fmt::format("={}", step.number);
  if (kind.side && step.side != *kind.side) text += step.side == Side::W ? ":rows" : ":columns";
  return text;
}

}  // namespace anmf
