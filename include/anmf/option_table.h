// SPDX-License-Identifier: MIT
// Every option as a row of one table. What checks options, reads them from a command line or from Python,
// writes them to run.json or compares them where a run goes on takes name, range and words from its row.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

#include "anmf/options.h"
#include "anmf/result.h"

namespace anmf {

/// The numbers that an option may have. No range contains NaN.
struct OptionRange {
  double low = std::numeric_limits<double>::lowest();
  double high = std::numeric_limits<double>::max();
  bool high_open = false;       ///< `high` itself is not in the range
  std::string_view words = {};  ///< the range in a sentence that begins with "it must be"

  [[nodiscard]] constexpr bool contains(double value) const {
    return value >= low && (high_open ? value < high : value <= high);
  }
};

/// An option whose type is an enumeration, as the words for its values.
struct WordMember {
  std::span<const std::string_view> words;  ///< those that can be chosen
  bool optional;                            ///< the option may be left open
  std::optional<std::string_view> (*get)(const Options&);
  /// Returns false for a word that cannot be chosen. Without a word the option is left open.
  bool (*set)(Options&, std::optional<std::string_view>);
};

using OptionMember =
    std::variant<bool Options::*, int Options::*, Index Options::*, std::uint64_t Options::*,
                 double Options::*, std::optional<double> Options::*, std::string Options::*, WordMember>;

struct OptionInfo {
  std::string_view name;  ///< of the member of Options, and in Python
  OptionMember member;
  std::string_view group;  ///< the heading that the option has in help; empty for the first group
  /// The name of the option in the description of a run that a checkpoint holds. Empty if the option may be
  /// another where the run goes on.
  std::string_view identity;
  OptionRange range;
  std::string_view default_note;  ///< what the default does, where its value alone does not say it
  std::string_view help;

  /// The name in run.json, in lower case. With dashes it is the name on the command line.
  [[nodiscard]] std::string key() const;
  /// The words to choose from; none if the option is no enumeration.
  [[nodiscard]] std::span<const std::string_view> words() const;
};

/// Every option, in the order in which they are listed to people.
[[nodiscard]] std::span<const OptionInfo> option_table();
/// The row of this name. Throws InvalidInput if there is none.
[[nodiscard]] const OptionInfo& find_option(std::string_view name);

/// Calls act(value), the value being that of the member, or for an enumeration an optional word.
template <class Act>
auto with_value(const OptionInfo& option, const Options& options, const Act& act) {
  const auto value_and_act = [&]<class Member>(const Member& member) {
    if constexpr (std::is_same_v<Member, WordMember>) {
      return act(member.get(options));
    } else {
      return act(options.*member);
    }
  };
  return std::visit(value_and_act, option.member);
}

/// Sets an enumeration by its word, or leaves it open. Throws InvalidInput with the words to choose from.
void set_word(Options& options, const OptionInfo& option, std::optional<std::string_view> word);

/// The value as text: numbers to the last bit, nothing where the option is left open.
[[nodiscard]] std::string to_text(const OptionInfo& option, const Options& options);

/// What happens without the option: the default value, the note on it, or both.
[[nodiscard]] std::string default_text(const OptionInfo& option);

/// The options of a run with the values in force in the place of those that the caller left open.
[[nodiscard]] Options in_force(Options options, const EffectiveOptions& effective);

}  // namespace anmf
