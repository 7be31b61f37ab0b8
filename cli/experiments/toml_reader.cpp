// SPDX-License-Identifier: MIT
#include "experiments/toml_reader.h"

#include <fmt/format.h>

#include "anmf/error.h"

namespace anmf::cli {

const toml::node* TomlReader::find(std::string_view key) {
  read_.emplace(key);
  return table_.get(key);
}

void TomlReader::complain_at(const toml::source_region& where, std::string_view sentence) const {
  throw InvalidInput(fmt::format("{}, line {}: {}", file_, where.begin.line, sentence));
}

void TomlReader::complain(std::string_view key, std::string_view sentence) const {
  const toml::node* node = table_.get(key);
  complain_at(node != nullptr ? node->source() : table_.source(), sentence);
}

std::optional<std::string> TomlReader::text(std::string_view key) {
  const toml::node* node = find(key);
  if (node == nullptr) return std::nullopt;
  if (!node->is_string()) complain(key, fmt::format("{} must be a text in quotes.", key));
  return node->ref<std::string>();
}

std::optional<double> TomlReader::number(std::string_view key, double above_or_at) {
  const toml::node* node = find(key);
  if (node == nullptr) return std::nullopt;
  const std::optional<double> value = node->is_number() ? node->value<double>() : std::nullopt;
  if (!value || !(*value >= above_or_at)) {
    complain(key, fmt::format("{} must be a number of at least {}.", key, above_or_at));
  }
  return value;
}

std::optional<Index> TomlReader::whole(std::string_view key, Index at_least) {
  const toml::node* node = find(key);
  if (node == nullptr) return std::nullopt;
  if (!node->is_integer() || node->ref<std::int64_t>() < at_least) {
    complain(key, fmt::format("{} must be a whole number of at least {}.", key, at_least));
  }
  return node->ref<std::int64_t>();
}

std::optional<bool> TomlReader::flag(std::string_view key) {
  const toml::node* node = find(key);
  if (node == nullptr) return std::nullopt;
  if (!node->is_boolean()) complain(key, fmt::format("{} must be true or false.", key));
  return node->ref<bool>();
}

std::vector<std::string> TomlReader::texts(std::string_view key) {
  const toml::node* node = find(key);
  std::vector<std::string> values;
  if (node == nullptr) return values;
  const std::string sentence = fmt::format("{} must be a list of texts in quotes.", key);
  if (!node->is_array()) complain(key, sentence);
  for (const toml::node& entry : *node->as_array()) {
    if (!entry.is_string()) complain_at(entry.source(), sentence);
    values.push_back(entry.ref<std::string>());
  }
  return values;
}

std::vector<Index> TomlReader::wholes(std::string_view key, Index at_least) {
  const toml::node* node = find(key);
  std::vector<Index> values;
  if (node == nullptr) return values;
  const std::string sentence =
      fmt::format("{} must be a list of whole numbers of at least {}.", key, at_least);
  if (!node->is_array()) complain(key, sentence);
  for (const toml::node& entry : *node->as_array()) {
    if (!entry.is_integer() || entry.ref<std::int64_t>() < at_least) complain_at(entry.source(), sentence);
    values.push_back(entry.ref<std::int64_t>());
  }
  return values;
}

void TomlReader::each(std::string_view key, const std::function<void(TomlReader&)>& read) {
  const toml::node* node = find(key);
  if (node == nullptr) return;
  if (!node->is_array_of_tables()) complain(key, fmt::format("{0} must be written as [[{0}]].", key));
  for (const toml::node& entry : *node->as_array()) {
    TomlReader reader(*entry.as_table(), file_);
    read(reader);
    reader.finish();
  }
}

void TomlReader::finish() const {
  for (const auto& [key, node] : table_) {
    if (!read_.contains(key.str())) {
      complain_at(key.source(), fmt::format("there is no '{}' here; is it misspelled?", key.str()));
    }
  }
}

}  // namespace anmf::cli
