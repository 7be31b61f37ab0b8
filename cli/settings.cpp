// SPDX-License-Identifier: MIT
#include "settings.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <sstream>
#include <system_error>

#include "anmf/files.h"
#include "failure.h"
#include "option_helpers.h"

namespace anmf::cli {
namespace {

constexpr std::string_view kInputName = "input";

bool is_flag(const CLI::Option& option) { return option.get_expected_min() == 0; }

/// The name of an option in a file: that of its first long form, or `input` for the one without dashes.
std::string name_of(const CLI::Option& option) {
  return option.get_lnames().empty() ? std::string(kInputName) : option.get_lnames().front();
}

CLI::Option* find_option(CLI::App& app, const std::string& name) {
  for (CLI::Option* option : app.get_options()) {
    if (option->get_configurable() && name_of(*option) == name) return option;
  }
  return nullptr;
}

/// Names of files are bytes, TOML is UTF-8: a text that is not becomes { percent = "caf%E9.npy" }.
constexpr std::string_view kPercent = "percent";

toml::table percent_encoded(const std::string& text) {
  std::string encoded;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = byte >= 0x20 && byte < 0x7f && c != '%';
    encoded += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  toml::table table{{kPercent, encoded}};
  table.is_inline(true);
  return table;
}

std::optional<std::string> percent_decoded(const toml::table& table) {
  const auto encoded = table[kPercent].value<std::string>();
  if (!encoded || table.size() != 1) return std::nullopt;
  std::string text;
  for (std::size_t k = 0; k < encoded->size(); ++k) {
    if ((*encoded)[k] != '%') {
      text += (*encoded)[k];
      continue;
    }
    unsigned byte = 0;
    const char* const digits = encoded->data() + k + 1;
    if (encoded->size() - k < 3 || std::from_chars(digits, digits + 2, byte, 16).ptr != digits + 2)
      return std::nullopt;
    text += static_cast<char>(byte);
    k += 2;
  }
  return text;
}

/// As it would be typed. Nothing if the node is neither a value nor a list of values.
std::optional<std::string> typed(const toml::node& node) {
  if (const auto* table = node.as_table()) return percent_decoded(*table);
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* number = node.as_integer()) return fmt::format("{}", number->get());
  if (const auto* number = node.as_floating_point()) return fmt::format("{}", number->get());
  if (const auto* truth = node.as_boolean()) return truth->get() ? "true" : "false";
  const toml::array* const list = node.as_array();
  if (list == nullptr) return std::nullopt;
  std::string words;
  for (const toml::node& element : *list) {
    const auto word = element.is_array() ? std::nullopt : typed(element);
    if (!word) return std::nullopt;
    words += (words.empty() ? "" : ",") + *word;
  }
  return words;
}

}  // namespace

std::vector<Setting> parse_settings(std::string_view text, const std::string& source) {
  std::vector<Setting> settings;
  try {
    const toml::table table = toml::parse(text, source);
    for (const auto& [key, node] : table) {
      const std::string where = fmt::format("{}, line {}", source, key.source().begin.line);
      const auto value = typed(node);
      if (!value) {
        throw Failure(ExitCode::input,
                      fmt::format("{}: '{}' is neither a text, a number, true or false, nor a list of these; "
                                  "write one option a line, as in rank = 20.",
                                  where, key.str()));
      }
      std::string name(key.str());
      std::replace(name.begin(), name.end(), '_', '-');
      settings.push_back({name, *value, where});
    }
  } catch (const toml::parse_error& error) {
    throw Failure(ExitCode::input, fmt::format("{}, line {}: this is not TOML: {}.", source,
                                               error.source().begin.line, error.description()));
  }
  return settings;
}

std::vector<Setting> read_settings(const std::filesystem::path& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file) text << file.rdbuf();
  std::error_code error;
  if (!file || std::filesystem::is_directory(path, error)) {
    const std::string reason =
        errno != 0 ? std::generic_category().message(errno) : std::string("it is no file with text");
    throw Failure(ExitCode::input, fmt::format("{}: the options cannot be read: {}.", path.string(), reason));
  }
  return parse_settings(text.str(), path.string());
}

void apply_settings(CLI::App& app, std::span<const Setting> settings) {
  for (const Setting& setting : settings) {
    CLI::Option* const option = find_option(app, setting.name);
    if (option == nullptr) {
      throw Failure(ExitCode::usage,
                    fmt::format("{}: '{}' is not an option of {} (see anmf {} --help).", setting.where,
                                setting.name, app.get_name(), app.get_name()));
    }
    if (option->count() > 0) continue;
    if (is_flag(*option) && setting.value != "true" && setting.value != "false") {
      throw Failure(ExitCode::usage, fmt::format("{}: '{}' must be true or false, not '{}'.", setting.where,
                                                 setting.name, setting.value));
    }
    try {
      option->add_result(setting.value);
      option->run_callback();
    } catch (const CLI::ParseError& error) {
      throw Failure(ExitCode::usage, fmt::format("{}: {}.", setting.where, error.what()));
    }
  }
}

std::string settings_text(const CLI::App& app, std::span<const std::string_view> left_out,
                          std::span<const std::string_view> paths) {
  const auto is_in = [](std::span<const std::string_view> names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  toml::table table;
  for (const CLI::Option* option : app.get_options()) {
    const std::string name = name_of(*option);
    if (option->count() == 0 || !option->get_configurable()) continue;
    if (is_in(left_out, name)) continue;
    const std::string& result = option->results().front();
    const std::vector<std::string>& words = words_of(*option);
    const bool is_path = is_in(paths, name) && std::ranges::find(words, result) == words.end();
    const std::string value = is_path ? std::filesystem::absolute(result).string() : result;
    if (is_flag(*option)) {
      table.insert_or_assign(name, value == "true");
    } else if (io::is_utf8(value)) {
      table.insert_or_assign(name, value);
    } else {
      table.insert_or_assign(name, percent_encoded(value));
    }
  }
  std::ostringstream text;
  text << table << '\n';
  return text.str();
}

std::vector<std::pair<std::string, std::string>> all_options(const CLI::App& app) {
  std::vector<std::pair<std::string, std::string>> options;
  for (const CLI::Option* option : app.get_options()) {
    const bool given = option->count() > 0 && !(is_flag(*option) && option->results().front() == "false");
    std::string value = given ? "given" : "not given";
    if (given && !is_flag(*option)) value = option->results().front();
    options.emplace_back(option->get_name(), std::move(value));
  }
  return options;
}

void add_config(CLI::App& app) {
  add_text(
      app, "--config", [&app](const std::string& file) { apply_settings(app, read_settings(file)); },
      wrapped("Take the options that are not typed from this file: TOML, one option a line, as in rank = 20"),
      "FILE")
      ->configurable(false)
      ->group(kSavedGroup);
}

}  // namespace anmf::cli
