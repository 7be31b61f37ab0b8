// SPDX-License-Identifier: MIT
// The words for the values of the options that are enumerations, in the order in which people read them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <type_traits>

#include "anmf/option_table.h"

namespace anmf {

template <class E>
struct Word {
  E value;
  std::string_view word;
  bool offered = true;  // can be chosen
};

constexpr auto vocabulary(InnerStopMode) {
  using enum InnerStopMode;
  return std::to_array<Word<InnerStopMode>>({
      {fixed, "fixed"},
      {dynamic, "dynamic"},
      {hybrid, "hybrid"},
      {block, "block"},
      {projected_gradient, "projected_gradient", false},  // belongs to pg, which has it by itself
  });
}

constexpr auto vocabulary(RhoSource) {
  return std::to_array<Word<RhoSource>>({{RhoSource::flops, "flops"}, {RhoSource::measured, "measured"}});
}

constexpr auto vocabulary(StopRule) {
  using enum StopRule;
  return std::to_array<Word<StopRule>>({{promised_decrease, "promised-decrease"}, {gradient, "gradient"}});
}

constexpr auto vocabulary(Normalize) {
  using enum Normalize;
  return std::to_array<Word<Normalize>>({{none, "none"}, {l1, "l1"}, {l2, "l2"}, {max, "max"}});
}

constexpr auto vocabulary(Compress) {
  using enum Compress;
  return std::to_array<Word<Compress>>({{automatic, "auto"}, {on, "on"}, {off, "off"}});
}

constexpr auto vocabulary(Explore) {
  using enum Explore;
  return std::to_array<Word<Explore>>({{automatic, "auto"}, {on, "on"}, {off, "off"}});
}

constexpr auto vocabulary(Init) {
  using enum Init;
  return std::to_array<Word<Init>>({{scaled_random, "scaled-random"},
                                    {random, "random"},
                                    {nndsvd, "nndsvd"},
                                    {nndsvda, "nndsvda"},
                                    {nndsvdar, "nndsvdar"},
                                    {spa, "spa"}});
}

constexpr auto vocabulary(Side) { return std::to_array<Word<Side>>({{Side::W, "W"}, {Side::H, "H"}}); }

template <class E>
inline constexpr auto kVocabulary = vocabulary(E{});

/// The words of an enumeration that can be chosen.
template <class E>
inline constexpr auto kOffered = [] {
  std::array<std::string_view, std::ranges::count_if(kVocabulary<E>, &Word<E>::offered)> words;
  std::size_t count = 0;
  for (const Word<E>& known : kVocabulary<E>) {
    if (known.offered) words[count++] = known.word;
  }
  return words;
}();

template <class E>
constexpr std::string_view word_of(E value) {
  for (const Word<E>& known : kVocabulary<E>) {
    if (known.value == value) return known.word;
  }
  return "";
}

/// The enumeration behind the type of a member, which may be optional.
template <class Value>
struct Enumeration {
  using Type = Value;
  static constexpr bool kOptional = false;
};
template <class Value>
struct Enumeration<std::optional<Value>> {
  using Type = Value;
  static constexpr bool kOptional = true;
};

/// The member of Options as an enumeration with words.
template <auto member>
constexpr WordMember word_member() {
  using Stored = std::remove_cvref_t<decltype(Options{}.*member)>;
  using E = typename Enumeration<Stored>::Type;
  constexpr bool kOptional = Enumeration<Stored>::kOptional;
  return {.words = kOffered<E>,
          .optional = kOptional,
          .get = [](const Options& options) -> std::optional<std::string_view> {
            const std::optional<E> value = options.*member;
            return value ? std::optional(word_of(*value)) : std::nullopt;
          },
          .set =
              [](Options& options, std::optional<std::string_view> word) {
                if (!word) {
                  if constexpr (kOptional) (options.*member).reset();
                  return kOptional;
                }
                for (const Word<E>& known : kVocabulary<E>) {
                  if (!known.offered || known.word != *word) continue;
                  options.*member = known.value;
                  return true;
                }
                return false;
              }};
}

}  // namespace anmf
