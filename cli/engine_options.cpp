// SPDX-License-Identifier: MIT
#include "engine_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "anmf/error.h"
#include "anmf/option_table.h"
#include "option_helpers.h"
#include "suggestion.h"

namespace anmf::cli {
namespace {

std::string flag_of(const OptionInfo& option) {
  std::string name = option.key();
  std::replace(name.begin(), name.end(), '_', '-');
  return "--" + name;
}

/// An option whose default is not allowed has to be given.
bool is_required(const OptionInfo& option) {
  return with_value(option, Options{}, [&option]<class Value>(const Value& value) {
    if constexpr (std::is_arithmetic_v<Value>) return !option.range.contains(static_cast<double>(value));
    return false;
  });
}

template <class Number>
Range<Number> range_of(const OptionInfo& option) {
  constexpr Number kLargest = std::numeric_limits<Number>::max();
  const OptionRange& range = option.range;
  const bool unlimited = std::is_integral_v<Number> && range.high >= static_cast<double>(kLargest);
  return {.low = static_cast<Number>(range.low),
          .high = unlimited ? kLargest : static_cast<Number>(range.high),
          .high_open = range.high_open};
}

/// The default of a command whose options are these, which may be another one.
std::string default_in(const OptionInfo& option, const Options& options) {
  const std::string text = to_text(option, options);
  return text == to_text(option, Options{}) ? default_text(option) : text;
}

template <class Number>
CLI::Option* add_typed(CLI::App& app, const OptionInfo& option, Number& target, const std::string& usual) {
  const bool required = is_required(option);
  return add_number(app, flag_of(option), target, range_of<Number>(option), option.help,
                    required ? std::string() : usual)
      ->required(required);
}

CLI::Option* add_typed(CLI::App& app, const OptionInfo& option, std::optional<double>& target,
                       const std::string& usual) {
  return add_number(app, flag_of(option), target, range_of<double>(option), option.help, usual);
}

/// What is on without it can be switched off.
CLI::Option* add_typed(CLI::App& app, const OptionInfo& option, bool& target, const std::string& usual) {
  const std::string flag = flag_of(option);
  return app.add_flag(target ? fmt::format("{},!--no-{}", flag, flag.substr(2)) : flag, target,
                      wrapped(fmt::format("{} (default: {})", option.help, usual)));
}

/// Adds an option for a name that `check` knows; what is misspelt gets the nearest one.
CLI::Option* add_name(CLI::App& app, const std::string& flag, std::vector<std::string> names,
                      std::function<void(const std::string&)> check,
                      std::function<void(const std::string&)> assign, const std::string& help,
                      const std::string& type) {
  const auto choose = [flag, names, check = std::move(check),
                       assign = std::move(assign)](const std::string& name) {
    try {
      check(name);
      assign(name);
    } catch (const InvalidInput& error) {
      std::string sentence = error.what();
      if (sentence.ends_with('.')) sentence.pop_back();
      throw CLI::ValidationError(flag, sentence + did_you_mean(name, names));
    }
  };
  CLI::Option* const added = add_text(app, flag, choose, help, type);
  set_words(*added, std::move(names));
  return added;
}

/// The loss, or the method, whose help has a line for each.
CLI::Option* add_typed(CLI::App& app, const OptionInfo& option, std::string& target,
                       const std::string& usual) {
  std::string help = fmt::format("{} (default {})", option.help, usual);
  const auto assign = [&target](const std::string& name) { target = name; };
  if (option.name == "loss") return add_loss(app, assign, help);
  std::vector<std::string> names = {"auto"};
  help += fmt::format(":\n  {:<8} {}, begun on a compression where that pays; by the loss e-ccd or e-spn",
                      "auto", find_method("auto").name);
  for (const Method& method : methods()) {
    names.emplace_back(method.name);
    help += fmt::format("\n  {:<8} {}", method.name, method.summary);
  }
  return add_name(
      app, flag_of(option), std::move(names), [](const std::string& name) { (void)find_method(name); },
      assign, help, "NAME");
}

CLI::Option* add_enumeration(CLI::App& app, const OptionInfo& option, const WordMember& member,
                             Options& options) {
  const std::string usual = default_in(option, options);
  constexpr std::size_t kMostWords = 4;  // beside the name of an option
  CLI::Option* const added = add_words(
      app, flag_of(option), {member.words.begin(), member.words.end()},
      [&member, &options](const std::string& word) { return member.set(options, word); },
      fmt::format("{} (default {})", option.help, usual));
  if (member.words.size() > kMostWords) added->type_name("NAME");
  return added;
}

}  // namespace

CLI::Option* add_loss(CLI::App& app, std::function<void(const std::string&)> assign,
                      const std::string& help) {
  return add_name(
      app, "--loss", {"frobenius", "kullback-leibler", "itakura-saito"},
      [](const std::string& name) { (void)beta_of(name); }, std::move(assign), help, "NAME|BETA");
}

void add_engine_options(CLI::App& app, Options& options, std::span<const std::string_view> without) {
  for (const OptionInfo& option : option_table()) {
    if (std::ranges::find(without, option.name) != without.end()) continue;
    const auto add_member = [&]<class Member>(const Member& member) {
      if constexpr (std::is_same_v<Member, WordMember>) {
        return add_enumeration(app, option, member, options);
      } else {
        return add_typed(app, option, options.*member, default_in(option, options));
      }
    };
    CLI::Option* const added = std::visit(add_member, option.member);
    if (!option.group.empty()) added->group(std::string(option.group));
  }
}

}  // namespace anmf::cli
