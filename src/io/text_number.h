// SPDX-License-Identifier: MIT
// Tokens of one line of text, and the numbers they spell. Independent of the locale.
#pragma once

#include <charconv>
#include <cstddef>
#include <string_view>
#include <system_error>
#include <type_traits>

namespace anmf::io {

/// The tokens of a line, one after another. Windows line ends count as blanks.
class Tokens {
 public:
  explicit Tokens(std::string_view line) : at_(line.data()), end_(line.data() + line.size()) {}

  /// The next token; empty when there is none left.
  std::string_view next() {
    while (at_ != end_ && blank(*at_)) ++at_;
    const char* begin = at_;
    while (at_ != end_ && !blank(*at_)) ++at_;
    return {begin, static_cast<std::size_t>(at_ - begin)};
  }

 private:
  static bool blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

  const char* at_;
  const char* end_;
};

[[nodiscard]] inline int count_tokens(std::string_view line) {
  Tokens tokens(line);
  int count = 0;
  while (!tokens.next().empty()) ++count;
  return count;
}

enum class Parsed { kOk, kMalformed, kTooLarge };

/// True if a decimal number that from_chars found out of range is too small rather than too large.
[[nodiscard]] bool rounds_to_zero(std::string_view number);

/// Parses a whole token as an integer or a floating-point number. The value of a floating-point
/// number too small for the type is 0; nan and inf are numbers.
template <class T>
[[nodiscard]] Parsed parse_number(std::string_view token, T& value) {
  const char* begin = token.data();
  const char* end = begin + token.size();
  // from_chars knows no '+', which writers in Fortran use; "+-1" must stay malformed.
  if (begin != end && *begin == '+') {
    ++begin;
    if (begin != end && *begin == '-') return Parsed::kMalformed;
  }
  const auto [stop, error] = std::from_chars(begin, end, value);
  if (error == std::errc::invalid_argument || stop != end) return Parsed::kMalformed;
  if (error == std::errc::result_out_of_range) {
    if (std::is_integral_v<T> || !rounds_to_zero(token)) return Parsed::kTooLarge;
    value = T{0};
  }
  return Parsed::kOk;
}

[[nodiscard]] inline bool reads_as_number(std::string_view token) {
  double value = 0;
  return parse_number(token, value) != Parsed::kMalformed;
}

}  // namespace anmf::io
