// SPDX-License-Identifier: MIT
// Options as Python sees them: the names of the table of options, enumerations as words.
#include "options.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "anmf/option_table.h"

namespace anmf::python {
namespace {

std::optional<std::string> as_text(std::optional<std::string_view> word) {
  return word ? std::optional<std::string>(*word) : std::nullopt;
}

/// A property that is a word in Python and an enumeration in C++. Only what may be left open takes None.
void bind_words(nb::class_<Options>& options, const OptionInfo& option, const WordMember& member) {
  const std::string name(option.name);
  const auto get = [&member](const Options& o) { return as_text(member.get(o)); };
  if (member.optional) {
    options.def_prop_rw(
        name.c_str(), get,
        [&option](Options& o, const std::optional<std::string>& word) { set_word(o, option, word); },
        nb::arg().none());
  } else {
    options.def_prop_rw(name.c_str(), get,
                        [&option](Options& o, const std::string& word) { set_word(o, option, word); });
  }
}

void bind_option(nb::class_<Options>& options, const OptionInfo& option) {
  const auto bind = [&]<class Member>(const Member& member) {
    if constexpr (std::is_same_v<Member, WordMember>) {
      bind_words(options, option, member);
    } else if constexpr (std::is_same_v<Member, std::optional<double> Options::*>) {
      options.def_rw(std::string(option.name).c_str(), member, nb::arg().none());
    } else {
      options.def_rw(std::string(option.name).c_str(), member);
    }
  };
  std::visit(bind, option.member);
}

std::vector<std::string> words_of(const std::string& name) {
  const auto words = find_option(name).words();
  return {words.begin(), words.end()};
}

/// "What it does (its range; its default)" of the option of this name.
std::string help_of(const std::string& name) {
  const OptionInfo& option = find_option(name);
  std::string range(option.range.words);
  for (const std::string_view word : option.words()) {
    if (!range.empty()) range += ", ";
    range += '"' + std::string(word) + '"';
  }
  if (!range.empty()) range += "; ";
  const bool is_flag = std::holds_alternative<bool Options::*>(option.member);
  const std::string words = is_flag ? "default: " : "default ";
  return std::string(option.help) + " (" + range + words + default_text(option) + ").";
}

}  // namespace

void bind_options(nb::module_& module) {
  nb::class_<Options> options(module, "Options");
  options.def(nb::init<>());
  for (const OptionInfo& option : option_table()) bind_option(options, option);
  module.def("words", &words_of, nb::arg("option"));
  module.def("help", &help_of, nb::arg("option"));
  module.def("methods", [] {
    std::vector<std::string> names;
    for (const Method& method : methods()) names.emplace_back(method.name);
    return names;
  });
}

Init init_from_word(const std::string& word) {
  Options options;
  set_word(options, find_option("init"), word);
  return options.init;
}

}  // namespace anmf::python
