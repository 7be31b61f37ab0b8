// SPDX-License-Identifier: MIT
// The fields of a line of a table, between separators and perhaps in quotes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "anmf/files.h"  // IWYU pragma: export

namespace anmf::io {

/// What separates the fields of a table whose first line is this: a tab, a comma, a semicolon, or else ' ',
/// which stands for any run of blanks. What stands in quotes does not count.
[[nodiscard]] char find_separator(std::string_view line);

/// The fields of a line, one after another. "a ""b"" c" in quotes is a "b" c.
class Fields {
 public:
  Fields(std::string_view line, char separator);

  /// Moves to the next field; false if there is none left.
  bool next();
  /// The current field without blanks and quotes around it. Valid until next() is called.
  [[nodiscard]] std::string_view field() const { return field_; }
  /// True if the current field stands in quotes.
  [[nodiscard]] bool quoted() const { return quoted_; }
  /// True if quotes were opened and not closed before the end of the line.
  [[nodiscard]] bool unclosed() const { return unclosed_; }

 private:
  void take_quoted();

  std::string_view rest_;
  char separator_;
  bool more_ = true;
  bool quoted_ = false;
  bool unclosed_ = false;
  std::string_view field_;
  std::string unquoted_;  // of a field with doubled quotes inside
};

[[nodiscard]] std::size_t count_fields(std::string_view line, char separator);

/// The line without the mark that some programs put before UTF-8 and without the \r before its end.
[[nodiscard]] std::string_view without_marks(std::string_view line);

}  // namespace anmf::io
