// SPDX-License-Identifier: MIT
#include "rank_list.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string_view>

namespace anmf::cli {
namespace {

/// More ranks than anybody can look at: a slip of the finger.
constexpr Index kMostRanks = 1000;

class RankReader {
 public:
  RankReader(const std::string& name, const std::string& text) : name_(name), text_(text), left_(text) {}

  std::vector<Index> read() {
    do {
      add_range();
    } while (take(','));
    if (!left_.empty()) fail_syntax();
    std::sort(ranks_.begin(), ranks_.end());
    const auto twice = std::adjacent_find(ranks_.begin(), ranks_.end());
    if (twice != ranks_.end()) fail(fmt::format("{} names rank {} twice: '{}'", name_, *twice, text_));
    return ranks_;
  }

 private:
  [[noreturn]] static void fail(const std::string& sentence) { throw CLI::ValidationError(sentence); }
  [[noreturn]] void fail_syntax() const {
    fail(fmt::format("{} must be ranks such as 2-15, 5-50:5 or 4,8,16, not '{}'", name_, text_));
  }

  bool take(char c) {
    if (!left_.starts_with(c)) return false;
    left_.remove_prefix(1);
    return true;
  }

  Index number() {
    Index value = 0;
    const auto [stop, error] = std::from_chars(left_.data(), left_.data() + left_.size(), value);
    if (error != std::errc{} || left_.starts_with('-')) fail_syntax();
    left_.remove_prefix(static_cast<std::size_t>(stop - left_.data()));
    if (value < 1) fail(fmt::format("{} must be at least 1, and '{}' has {}", name_, text_, value));
    return value;
  }

  void add_range() {
    const Index first = number();
    const Index last = take('-') ? number() : first;
    const Index step = take(':') ? number() : 1;
    if (last < first)
      fail(fmt::format("{} goes down from {} to {}; write {}-{}", name_, first, last, last, first));
    if ((last - first) / step >= kMostRanks - static_cast<Index>(ranks_.size()))
      fail(fmt::format("{} '{}' has more than {} ranks", name_, text_, kMostRanks));
    for (Index rank = first; rank <= last; rank += step) ranks_.push_back(rank);
  }

  const std::string& name_;
  const std::string& text_;
  std::string_view left_;
  std::vector<Index> ranks_;
};

}  // namespace

std::vector<Index> parse_ranks(const std::string& name, const std::string& text) {
  return RankReader(name, text).read();
}

std::string format_ranks(std::span<const Index> ranks) {
  std::string text;
  for (std::size_t begin = 0; begin < ranks.size();) {
    std::size_t end = begin + 1;
    while (end < ranks.size() && ranks[end] == ranks[end - 1] + 1) ++end;
    if (!text.empty()) text += ',';
    text += fmt::format("{}", ranks[begin]);
    if (end - begin > 1) text += fmt::format("-{}", ranks[end - 1]);
    begin = end;
  }
  return text;
}

}  // namespace anmf::cli
