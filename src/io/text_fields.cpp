// SPDX-License-Identifier: MIT
#include "io/text_fields.h"

#include <algorithm>
#include <cstdint>

namespace anmf::io {

namespace {

constexpr std::string_view kBlanks = " \t\r";

std::string_view without_blanks(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

// How many bytes follow the first one of a character, or -1 if no character begins with this one.
int continuation_bytes(unsigned char first) {
  if (first < 0x80) return 0;
  if (first >= 0xc2 && first < 0xe0) return 1;
  if (first >= 0xe0 && first < 0xf0) return 2;
  if (first >= 0xf0 && first < 0xf5) return 3;
  return -1;
}

}  // namespace

char find_separator(std::string_view line) {
  bool quoted = false;
  bool comma = false;
  bool semicolon = false;
  for (const char c : line) {
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == '\t') return '\t';
    comma = comma || c == ',';
    semicolon = semicolon || c == ';';
  }
  if (comma) return ',';
  return semicolon ? ';' : ' ';
}

Fields::Fields(std::string_view line, char separator) : rest_(line), separator_(separator) {
  if (separator == ' ') {
    rest_ = without_blanks(rest_);
    more_ = !rest_.empty();
  }
}

bool Fields::next() {
  if (!more_) return false;
  const std::size_t text = rest_.find_first_not_of(separator_ == '\t' ? " " : " \t");
  quoted_ = text != std::string_view::npos && rest_[text] == '"';
  if (quoted_) {
    rest_.remove_prefix(text + 1);
    take_quoted();
  }
  const std::size_t end = separator_ == ' ' ? rest_.find_first_of(" \t") : rest_.find(separator_);
  if (!quoted_) field_ = without_blanks(rest_.substr(0, end));
  more_ = end != std::string_view::npos;
  rest_.remove_prefix(more_ ? end + 1 : rest_.size());
  if (separator_ == ' ') {
    rest_ = without_blanks(rest_);
    more_ = !rest_.empty();
  }
  return true;
}

// rest_ begins behind the opening quote; afterwards it begins behind the closing one.
void Fields::take_quoted() {
  unquoted_.clear();
  for (;;) {
    const std::size_t quote = rest_.find('"');
    unquoted_ += rest_.substr(0, quote);
    if (quote == std::string_view::npos) {
      unclosed_ = true;
      rest_ = {};
      break;
    }
    rest_.remove_prefix(quote + 1);
    if (!rest_.starts_with('"')) break;
    unquoted_ += '"';
    rest_.remove_prefix(1);
  }
  field_ = unquoted_;
}

std::size_t count_fields(std::string_view line, char separator) {
  Fields fields(line, separator);
  std::size_t count = 0;
  while (fields.next()) ++count;
  return count;
}

std::string_view without_marks(std::string_view line) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto first = static_cast<unsigned char>(text[i]);
    const int more = continuation_bytes(first);
    if (more < 0 || i + static_cast<std::size_t>(more) >= text.size()) return false;
    std::uint32_t second = 0;
    for (int k = 1; k <= more; ++k) {
      const auto byte = static_cast<unsigned char>(text[i + static_cast<std::size_t>(k)]);
      if ((byte & 0xc0U) != 0x80U) return false;
      if (k == 1) second = byte;
    }
    // Longer than need be, halves of UTF-16 pairs, and beyond the last character.
    if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second >= 0xa0)) return false;
    if ((first == 0xf0 && second < 0x90) || (first == 0xf4 && second >= 0x90)) return false;
    i += static_cast<std::size_t>(more) + 1;
  }
  return true;
}

}  // namespace anmf::io
