// SPDX-License-Identifier: MIT
#include "command_line.h"

#include <filesystem>
#include <string_view>

namespace anmf::cli {
namespace {

std::string& remembered() {
  static std::string command;
  return command;
}

std::string shell_word(std::string_view word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+./:=,@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos) return std::string(word);
  std::string quoted(1, '\'');
  for (const char c : word) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  quoted += '\'';
  return quoted;
}

}  // namespace

std::string shell_command(std::span<const char* const> words) {
  std::string command;
  for (const char* const word : words) {
    if (command.empty()) {
      command = shell_word(std::filesystem::path(word).filename().string());
    } else {
      command += ' ';
      command += shell_word(word);
    }
  }
  return command;
}

void remember_command_line(std::span<const char* const> words) { remembered() = shell_command(words); }

const std::string& command_line() { return remembered(); }

}  // namespace anmf::cli
