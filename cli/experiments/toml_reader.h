// SPDX-License-Identifier: MIT
// A TOML table read key by key. Every complaint names the file and the line, and a key that nobody asked for
// is one: a misspelled option must not be passed over.
#pragma once

#include <toml++/toml.h>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "anmf/matrix.h"

namespace anmf::cli {

class TomlReader {
 public:
  TomlReader(const toml::table& table, const std::string& file) : table_(table), file_(file) {}

  [[nodiscard]] bool has(std::string_view key) const { return table_.contains(key); }
  [[nodiscard]] std::optional<std::string> text(std::string_view key);
  [[nodiscard]] std::optional<double> number(std::string_view key, double above_or_at);
  [[nodiscard]] std::optional<Index> whole(std::string_view key, Index at_least);
  [[nodiscard]] std::optional<bool> flag(std::string_view key);
  [[nodiscard]] std::vector<std::string> texts(std::string_view key);
  [[nodiscard]] std::vector<Index> wholes(std::string_view key, Index at_least);
  /// Calls `read` with a reader for every [[key]], and complains about what it leaves unread.
  void each(std::string_view key, const std::function<void(TomlReader&)>& read);

  /// Throws unless every key was read.
  void finish() const;
  /// Throws InvalidInput about the line of `key`, or of the table if there is no such key.
  [[noreturn]] void complain(std::string_view key, std::string_view sentence) const;

 private:
  const toml::node* find(std::string_view key);
  [[noreturn]] void complain_at(const toml::source_region& where, std::string_view sentence) const;

  const toml::table& table_;
  const std::string& file_;
  std::set<std::string, std::less<>> read_;
};

}  // namespace anmf::cli
