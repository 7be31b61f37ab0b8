// SPDX-License-Identifier: MIT
#include "suggestion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <numeric>
#include <utility>

namespace anmf::cli {
namespace {

std::string plain(std::string_view word) {
  std::string result(word);
  for (char& c : result) c = c == '_' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Rows of the usual table: distances of the first i letters of a from all beginnings of b.
  std::vector<std::size_t> before_last;
  std::vector<std::size_t> last(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::vector<std::size_t> row(b.size() + 1, i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      const bool exchanged = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (exchanged) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    before_last = std::exchange(last, std::move(row));
  }
  return last.back();
}

std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& known) {
  const std::string given = plain(word);
  const std::size_t letters = given.size() - std::min(given.find_first_not_of('-'), given.size());
  std::size_t least = (letters + 1) / 3 + 1;  // a third of the letters may be wrong
  std::optional<std::string> found;
  for (const std::string& candidate : known) {
    const std::string other = plain(candidate);
    const bool begins_it = letters >= 3 && other.starts_with(given);
    const std::size_t distance = begins_it ? 0 : edit_distance(given, other);
    if (distance >= least) continue;
    least = distance;
    found = candidate;
  }
  return found;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& known) {
  const std::optional<std::string> meant = nearest(word, known);
  return meant ? fmt::format("; did you mean {}?", *meant) : std::string();
}

}  // namespace anmf::cli
