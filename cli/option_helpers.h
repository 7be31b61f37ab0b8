// SPDX-License-Identifier: MIT
// Options whose range is stated once: it makes the help text, the check and the error message.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace anmf::cli {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Allowed values: low <= x <= high, or x < high if `high_open`. Compares false for NaN.
template <class Number>
struct Range {
  Number low = 0;
  Number high = std::numeric_limits<Number>::max();
  bool high_open = false;

  [[nodiscard]] bool contains(Number x) const { return x >= low && (high_open ? x < high : x <= high); }
  [[nodiscard]] std::string describe() const {
    if (high_open) return fmt::format("in [{}, {})", low, high);
    if (high >= std::numeric_limits<Number>::max()) return fmt::format("at least {}", low);
    return fmt::format("in [{}, {}]", low, high);
  }
};

/// A description cut into lines that fit beside the names of the options.
[[nodiscard]] std::string wrapped(std::string_view text);

/// Parsed by the standard library to the nearest number; CLI11 would round twice, through long double.
template <class Number>
[[nodiscard]] Number parse_number(const std::string& name, const std::string& text,
                                  const Range<Number>& range) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end || !range.contains(value)) {
    const char* const kind = std::is_integral_v<Number> ? "whole number" : "number";
    throw CLI::ValidationError(
        fmt::format("{} must be a {} {}, not '{}'", name, kind, range.describe(), text));
  }
  return value;
}

/// "--rank" -> "-k,--rank": the names of an option, with the short one if it has one in every command.
[[nodiscard]] std::string with_short(const std::string& name);

/// The words that an option chooses from, for the completion of shells; none if it takes anything.
void set_words(const CLI::Option& option, std::vector<std::string> words);
[[nodiscard]] const std::vector<std::string>& words_of(const CLI::Option& option);

/// Adds `--name TYPE`; `assign` takes the text, or throws CLI::ValidationError with a sentence.
CLI::Option* add_text(CLI::App& app, const std::string& name, std::function<void(const std::string&)> assign,
                      const std::string& help, const std::string& type);

/// Adds `--name A,B,...`; `take` gets one word after the other and may throw like `assign`.
CLI::Option* add_list(CLI::App& app, const std::string& name,
                      const std::function<void(const std::string&)>& take, const std::string& help,
                      const std::string& type);

/// Adds `--name NUMBER`. The target may be an optional; `default_text` is what happens without the option.
template <class Number, class Target>
CLI::Option* add_number(CLI::App& app, const std::string& name, Target& target, Range<Number> range,
                        std::string_view help, std::string_view default_text) {
  auto assign = [&target, name, range](const std::string& text) {
    target = parse_number<Number>(name, text, range);
  };
  const std::string with_default =
      default_text.empty() ? std::string() : fmt::format("; default {}", default_text);
  return add_text(app, name, std::move(assign),
                  wrapped(fmt::format("{} ({}{})", help, range.describe(), with_default)),
                  std::is_integral_v<Number> ? "N" : "X");
}

/// Adds `--name one|of|these`; `assign` takes a word and returns false if it is none of them.
CLI::Option* add_words(CLI::App& app, const std::string& name, std::vector<std::string> words,
                       std::function<bool(const std::string&)> assign, std::string_view help);

/// The same for the values that words stand for.
template <class Value, class Target>
CLI::Option* add_choice(CLI::App& app, const std::string& name, Target& target,
                        std::vector<std::pair<std::string, Value>> choices, std::string_view help) {
  std::vector<std::string> words;
  words.reserve(choices.size());
  for (const auto& choice : choices) words.push_back(choice.first);
  auto assign = [&target, choices = std::move(choices)](const std::string& text) {
    for (const auto& choice : choices) {
      if (choice.first != text) continue;
      target = choice.second;
      return true;
    }
    return false;
  };
  return add_words(app, name, std::move(words), std::move(assign), help);
}

}  // namespace anmf::cli
