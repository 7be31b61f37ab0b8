// SPDX-License-Identifier: MIT
#include "engine_options.h"

#include <fmt/format.h>

#include <algorithm>
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

template <class Number>
CLI::Option* add_typed(CLI::App& app, const OptionInfo& option, Number& target) {
  const bool required = is_required(option);
  return add_number(app, flag_of(option), target, range_of<Number>(option), option.help,
                    required ? std::string() : default_text(option))
      ->required(required);
}

CLI::Option* add_typed(CLI::App& app, const OptionInfo& option, std::optional<double>& target) {
  return add_number(app, flag_of(option), target, range_of<double>(option), option.help,
                    default_text(option));
}

/// What is on without it can be switched off.
CLI::Option* add_typed(CLI::App& app, const OptionInfo& option, bool& target) {
  const std::string flag = flag_of(option);
  return app.add_flag(target ? fmt::format("{},!--no-{}", flag, flag.substr(2)) : flag, target,
                      wrapped(fmt::format("{} (default: {})", option.help, default_text(option))));
}

/// The method: its help has a line for each. Or the loss, which has few names.
CLI::Option* add_typed(CLI::App& app, const OptionInfo& option, std::string& target) {
  const std::string flag = flag_of(option);
  const bool is_loss = option.name == "loss";
  std::vector<std::string> names = {"frobenius", "kullback-leibler", "itakura-saito"};
  std::string help = fmt::format("{} (default {})", option.help, default_text(option));
  if (!is_loss) {
    names = {"auto"};
    help += fmt::format(":\n  {:<8} {}, begun on a compression where that pays; by the loss e-ccd or e-spn",
                        "auto", find_method("auto").name);
    for (const Method& method : methods()) {
      names.emplace_back(method.name);
      help += fmt::format("\n  {:<8} {}", method.name, method.summary);
    }
  }
  auto choose = [flag, names, is_loss, &target](const std::string& name) {
    try {
      if (is_loss) {
        (void)beta_of(name);
      } else {
        (void)find_method(name);
      }
      target = name;
    } catch (const InvalidInput& error) {
      std::string sentence = error.what();
      if (sentence.ends_with('.')) sentence.pop_back();
      throw CLI::ValidationError(flag, sentence + did_you_mean(name, names));
    }
  };
  CLI::Option* const added = add_text(app, flag, choose, help, is_loss ? "NAME|BETA" : "NAME");
  set_words(*added, std::move(names));
  return added;
}

CLI::Option* add_enumeration(CLI::App& app, const OptionInfo& option, const WordMember& member,
                             Options& options) {
  constexpr std::size_t kMostWords = 4;  // beside the name of an option
  CLI::Option* const added = add_words(
      app, flag_of(option), {member.words.begin(), member.words.end()},
      [&member, &options](const std::string& word) { return member.set(options, word); },
      fmt::format("{} (default {})", option.help, default_text(option)));
  if (member.words.size() > kMostWords) added->type_name("NAME");
  return added;
}

}  // namespace

void add_engine_options(CLI::App& app, Options& options) {
  for (const OptionInfo& option : option_table()) {
    const auto add_member = [&]<class Member>(const Member& member) {
      if constexpr (std::is_same_v<Member, WordMember>) {
        return add_enumeration(app, option, member, options);
      } else {
        return add_typed(app, option, options.*member);
      }
    };
    CLI::Option* const added = std::visit(add_member, option.member);
    if (!option.group.empty()) added->group(std::string(option.group));
  }
}

}  // namespace anmf::cli
