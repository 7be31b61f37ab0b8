// SPDX-License-Identifier: MIT
#include "io/detect_text.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "anmf/matrix.h"
#include "io/text_fields.h"
#include "io/text_number.h"
#include "io/triplet_lines.h"

namespace anmf::io {

namespace {

constexpr std::size_t kLines = 4;

bool is_text(std::string_view start) {
  constexpr std::size_t kEnough = 4096;
  start = start.substr(0, kEnough);
  return std::all_of(start.begin(), start.end(), [](char c) {
    return static_cast<unsigned char>(c) >= 0x20 || c == '\t' || c == '\r' || c == '\n';
  });
}

// The first lines that are neither blank nor comments.
std::vector<std::string_view> first_lines(std::string_view start, std::string_view comment = {}) {
  std::vector<std::string_view> lines;
  if (!is_text(start) || start.starts_with('%')) return lines;
  while (lines.size() < kLines && !start.empty()) {
    const std::size_t end = start.find('\n');
    const std::string_view line = without_marks(start.substr(0, end));
    const bool skipped = Tokens(line).next().empty() || (!comment.empty() && line.starts_with(comment));
    if (!skipped) lines.push_back(line);
    start.remove_prefix(end == std::string_view::npos ? start.size() : end + 1);
  }
  return lines;
}

bool is_whole_number(std::string_view token) {
  Index value = 0;
  return parse_number(token, value) != Parsed::kMalformed && !token.starts_with('-');
}

bool all_whole(std::string_view line) {
  Tokens tokens(line);
  for (std::string_view token = tokens.next(); !token.empty(); token = tokens.next()) {
    if (!is_whole_number(token)) return false;
  }
  return true;
}

bool all_numbers(std::string_view line) {
  Tokens tokens(line);
  for (std::string_view token = tokens.next(); !token.empty(); token = tokens.next()) {
    if (!reads_as_number(token)) return false;
  }
  return true;
}

bool has_tokens(std::string_view line, int count) { return count_tokens(line) == count && all_whole(line); }

}  // namespace

bool looks_like_svmlight(std::string_view start) {
  bool found = false;
  for (const std::string_view line : first_lines(start, "#")) {
    Tokens tokens(line.substr(0, line.find('#')));
    const std::string_view label = tokens.next();
    if (label.empty()) continue;
    if (!reads_as_number(label)) return false;
    const std::string_view token = tokens.next();
    const std::size_t colon = token.find(':');
    if (token.empty()) continue;
    if (colon == std::string_view::npos) return false;
    found = found || is_whole_number(token.substr(0, colon)) || token.starts_with("qid:");
  }
  return found;
}

bool looks_like_cluto(std::string_view start) {
  const std::vector<std::string_view> lines = first_lines(start);
  return lines.size() > 1 && has_tokens(lines[0], 3) && count_tokens(lines[1]) % 2 == 0;
}

bool looks_like_bag_of_words(std::string_view start) {
  const std::vector<std::string_view> lines = first_lines(start);
  return lines.size() == kLines && has_tokens(lines[0], 1) && has_tokens(lines[1], 1) &&
         has_tokens(lines[2], 1) && count_tokens(lines[3]) == 3 && all_numbers(lines[3]);
}

bool looks_like_triplets(std::string_view start) {
  if (looks_like_svmlight(start) || looks_like_cluto(start) || looks_like_bag_of_words(start)) return false;
  std::vector<std::string_view> lines = first_lines(start, "# ");
  if (lines.empty()) return false;
  const std::string separator = find_triplet_separator(lines[0]);
  std::vector<std::string> fields;
  const auto fits = [&](std::string_view line) {
    constexpr double kFirstTime = 1e8;
    constexpr double kLastTime = 1e10;
    split_triplet(line, separator, fields);
    if (separator == kDoubleColon && fields.size() == 3) return reads_as_number(fields[2]);
    double time = 0;
    if (fields.size() != 4 || !reads_as_number(fields[2]) || parse_number(fields[3], time) != Parsed::kOk ||
        !is_whole_number(fields[3]))
      return false;
    if (separator == kDoubleColon) return true;
    return time >= kFirstTime && time < kLastTime && is_whole_number(fields[0]) && is_whole_number(fields[1]);
  };
  // The first one may say what the others hold.
  if (lines.size() > 1 && !fits(lines[0])) lines.erase(lines.begin());
  return std::all_of(lines.begin(), lines.end(), fits);
}

bool looks_like_table(std::string_view start) {
  if (looks_like_svmlight(start) || looks_like_cluto(start) || looks_like_bag_of_words(start)) return false;
  if (looks_like_triplets(start)) return false;
  const std::vector<std::string_view> lines = first_lines(start, "# ");
  return std::any_of(lines.begin(), lines.end(), [](std::string_view line) {
    Fields fields(line, find_separator(line));
    while (fields.next()) {
    }
    return reads_as_number(fields.field());
  });
}

}  // namespace anmf::io
