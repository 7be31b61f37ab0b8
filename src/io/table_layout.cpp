// SPDX-License-Identifier: MIT
// A first line that is taken for names by mistake is a row that is lost in silence, and one that is taken for
// numbers a row too many. So whatever can be either is an error, unless the caller says what it is.
#include "io/table_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "anmf/error.h"
#include "io/input_file.h"
#include "io/text_fields.h"
#include "io/text_number.h"

namespace anmf::io {

namespace {

// An entry is no number and no name either if it is missing or written in another way.
enum class Kind { kNumber, kBadEntry, kName };

struct TableField {
  std::string text;
  bool quoted = false;
};
using TableFields = std::vector<TableField>;

// "1,000", "1 000", "0,5" and "5 %".
bool is_number_of_another_kind(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  if (text.empty() || text[0] < '0' || text[0] > '9') return false;
  return text.find_first_not_of("0123456789.,' %") == std::string_view::npos;
}

Kind kind_of(const TableField& field) {
  if (reads_as_number(field.text)) return Kind::kNumber;
  return is_gap(field.text) || is_number_of_another_kind(field.text) ? Kind::kBadEntry : Kind::kName;
}

bool is_plain_number(const TableField& field) { return !field.quoted && reads_as_number(field.text); }

// Numbers in quotes are names in a table whose entries are not in quotes.
Kind kind_beside(const TableField& field, bool entries_are_plain) {
  const Kind kind = kind_of(field);
  return kind == Kind::kNumber && field.quoted && entries_are_plain ? Kind::kName : kind;
}

TableFields current_fields(const LineReader& reader, char separator) {
  TableFields result;
  Fields fields(without_marks(reader.line()), separator);
  while (fields.next()) {
    if (fields.unclosed())
      reader.fail(fmt::format("the quotes of field {} are not closed.", result.size() + 1));
    result.push_back({std::string(fields.field()), fields.quoted()});
  }
  return result;
}

/// The first lines.
struct Beginning {
  TableFields first;
  TableFields second;  ///< empty if there is none
  Index first_line = 0;
  Index second_line = 0;
  TableFields third;               ///< empty if there is none
  bool entries_are_plain = false;  ///< numbers without quotes are in the second
};

/// How many of the fields of the first line beside the names of rows are of each kind.
struct Tally {
  std::size_t numbers = 0;
  std::size_t bad = 0;
  std::size_t names = 0;
  std::size_t odd_field = 0;  ///< the first that is no number, counted from 1
};

Tally tally_first(const Beginning& lines, std::size_t skipped) {
  Tally tally;
  for (std::size_t j = skipped; j < lines.first.size(); ++j) {
    const Kind kind = kind_beside(lines.first[j], lines.entries_are_plain);
    if (kind != Kind::kNumber && tally.odd_field == 0) tally.odd_field = j + 1;
    ++(kind == Kind::kNumber ? tally.numbers : kind == Kind::kName ? tally.names : tally.bad);
  }
  return tally;
}

// Such as years, which are names, and 1, 2, 3, which could be.
bool counts_up(const Beginning& lines, std::size_t skipped) {
  std::optional<std::int64_t> last;
  for (std::size_t j = skipped; j < lines.first.size(); ++j) {
    std::int64_t value = 0;
    if (parse_number(lines.first[j].text, value) != Parsed::kOk || (last && value != *last + 1)) return false;
    last = value;
  }
  return true;
}

// Both sides are numbered from 0, as pandas does with what has no names.
bool is_numbered(const Beginning& lines) {
  const bool rows = lines.second[0].text == "0" && !lines.third.empty() && lines.third[0].text == "1";
  return rows && lines.first.size() > 2 && lines.first[1].text == "0" && counts_up(lines, 1);
}

[[noreturn]] void fail_ambiguous(const std::filesystem::path& path, const Beginning& lines,
                                 const std::string& found) {
  throw AmbiguousHeader(
      fmt::format("{}, line {}: {}, so that it cannot be told whether the line holds the names of columns or "
                  "entries.",
                  path.string(), lines.first_line, found));
}

bool detect_header(const std::filesystem::path& path, const Beginning& lines, bool corner, bool row_names,
                   bool gaps) {
  // All rows but the first would have a name.
  if (corner && kind_beside(lines.second[0], lines.entries_are_plain) == Kind::kName) return true;
  const std::size_t skipped = row_names ? 1 : 0;
  if (lines.first.size() <= skipped) return false;  // the lines do not fit together, as will be found
  const Tally tally = tally_first(lines, skipped);
  if (tally.numbers == 0 && tally.names > 0) return true;
  const std::size_t odd_fields = (gaps && tally.numbers > 0 ? 0 : tally.bad) + tally.names;
  if (tally.numbers == 0 || odd_fields > 0) {
    const TableField& odd = lines.first[tally.odd_field - 1];
    fail_ambiguous(
        path, lines,
        fmt::format("field {} is {}{}", tally.odd_field, odd.text.empty() ? "empty" : in_quotes(odd.text),
                    tally.numbers > 0 ? " and others are numbers" : " and none is a number"));
  }
  if (corner && is_numbered(lines)) return true;
  if (corner) fail_ambiguous(path, lines, "field 1 is empty and others are numbers");
  if (row_names && lines.first.size() > 2 && !lines.second.empty() && counts_up(lines, skipped)) {
    fail_ambiguous(
        path, lines,
        fmt::format("{} is followed by consecutive whole numbers", in_quotes(lines.first[0].text)));
  }
  return false;
}

}  // namespace

bool is_gap(std::string_view text) {
  constexpr std::array<std::string_view, 10> kMissing = {"",     "na",  "n/a", "#n/a", "null",
                                                         "none", "nil", "-",   ".",    "?"};
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return std::find(kMissing.begin(), kMissing.end(), lower) != kMissing.end();
}

bool reads_as_name(std::string_view text) { return kind_of({std::string(text), false}) == Kind::kName; }

bool next_table_line(LineReader& reader, bool skip_comments) {
  while (reader.next()) {
    const std::string_view line = without_marks(reader.line());
    const bool blank = line.find_first_not_of(" \t\r") == std::string_view::npos;
    if (!blank && !(skip_comments && line.starts_with("# "))) return true;
  }
  return false;
}

TableLayout find_table_layout(const std::filesystem::path& path, Header header, bool gaps) {
  LineReader reader(path, longest_line_bytes(path));
  if (!next_table_line(reader, true)) reader.fail("the file ends before the first line of numbers.");
  TableLayout layout;
  layout.separator = find_separator(without_marks(reader.line()));
  Beginning lines{.first = current_fields(reader, layout.separator), .first_line = reader.line_number()};
  if (next_table_line(reader, false)) {
    lines.second = current_fields(reader, layout.separator);
    lines.second_line = reader.line_number();
    if (next_table_line(reader, false)) lines.third = current_fields(reader, layout.separator);
    lines.entries_are_plain = std::any_of(lines.second.begin(), lines.second.end(), is_plain_number);
  }
  const bool alone = lines.second.empty();
  const TableFields& sample = alone ? lines.first : lines.second;
  // A word below a number is an entry that is wrong.
  const bool below_number = header != Header::yes && is_plain_number(lines.first[0]);
  const bool named =
      sample.size() > 1 && !below_number && kind_beside(sample[0], lines.entries_are_plain) == Kind::kName;
  const bool corner = header != Header::no && !alone && lines.first.size() > 1 && lines.first[0].text.empty();
  const bool shorter =
      header != Header::no && lines.first.size() + 1 == lines.second.size() &&
      (header == Header::yes || kind_of(lines.second[0]) == Kind::kName || lines.second[0].quoted);
  // Names of rows stand below an empty corner, or one field before a first line that is shorter, as R writes
  // it.
  layout.has_row_names = corner || shorter || named;
  layout.has_header =
      header == Header::yes || shorter ||
      (header == Header::automatic && detect_header(path, lines, corner, layout.has_row_names, gaps));
  layout.fields = shorter ? lines.second.size() : lines.first.size();
  layout.model_line = shorter ? lines.second_line : lines.first_line;
  if (layout.has_header && alone) {
    reader.fail_at(lines.first_line, "the only line holds names, expected lines of numbers below it.");
  }
  return layout;
}

}  // namespace anmf::io
