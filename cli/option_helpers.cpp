// SPDX-License-Identifier: MIT
#include "option_helpers.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "suggestion.h"

namespace anmf::cli {

std::string wrapped(std::string_view text) {
  constexpr std::size_t kWidth = 68;  // with CLI11's 30 columns for names: just below 100
  std::string result;
  std::size_t line_length = 0;
  while (!text.empty()) {
    const std::size_t word_end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, word_end);
    if (line_length > 0 && line_length + 1 + word.size() > kWidth) {
      result += '\n';
      line_length = 0;
    } else if (line_length > 0) {
      result += ' ';
      ++line_length;
    }
    result += word;
    line_length += word.size();
    text.remove_prefix(std::min(word_end + 1, text.size()));
  }
  return result;
}

namespace {

std::unordered_map<const CLI::Option*, std::vector<std::string>>& all_words() {
  static std::unordered_map<const CLI::Option*, std::vector<std::string>> words;
  return words;
}

}  // namespace

void set_words(const CLI::Option& option, std::vector<std::string> words) {
  all_words()[&option] = std::move(words);
}

const std::vector<std::string>& words_of(const CLI::Option& option) { return all_words()[&option]; }

std::string with_short(const std::string& name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kShort = {
      {{"--rank", "-k"}, {"--out", "-o"}, {"--threads", "-t"}}};
  for (const auto& [long_name, short_name] : kShort) {
    if (long_name == name) return fmt::format("{},{}", short_name, name);
  }
  return name;
}

CLI::Option* add_text(CLI::App& app, const std::string& name, std::function<void(const std::string&)> assign,
                      const std::string& help, const std::string& type) {
  CLI::callback_t callback = [assign = std::move(assign)](const CLI::results_t& words) {
    assign(words.front());
    return true;
  };
  return app.add_option(with_short(name), std::move(callback), help)->type_name(type);
}

CLI::Option* add_list(CLI::App& app, const std::string& name,
                      const std::function<void(const std::string&)>& take, const std::string& help,
                      const std::string& type) {
  auto assign = [take](const std::string& text) {
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t comma = std::min(text.find(',', begin), text.size());
      take(text.substr(begin, comma - begin));
      begin = comma + 1;
    }
  };
  return add_text(app, name, assign, wrapped(help), type);
}

CLI::Option* add_words(CLI::App& app, const std::string& name, std::vector<std::string> words,
                       std::function<bool(const std::string&)> assign, std::string_view help) {
  const std::string names = fmt::format("{}", fmt::join(words, "|"));
  auto checked = [name, names, words, assign = std::move(assign)](const std::string& text) {
    if (assign(text)) return;
    throw CLI::ValidationError(
        fmt::format("{} must be one of {}, not '{}'{}", name, names, text, did_you_mean(text, words)));
  };
  CLI::Option* const option = add_text(app, name, std::move(checked), wrapped(help), names);
  set_words(*option, std::move(words));
  return option;
}

}  // namespace anmf::cli
