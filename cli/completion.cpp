// SPDX-License-Identifier: MIT
// anmf completion: what a shell needs to complete subcommands, options and the words that they choose from.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "command.h"
#include "option_helpers.h"

namespace anmf::cli {
namespace {

/// Subcommands that are listed in the help.
std::vector<const CLI::App*> subcommands(const CLI::App& program) {
  return program.get_subcommands([](const CLI::App* app) { return !app->get_group().empty(); });
}

/// Options with dashes.
std::vector<const CLI::Option*> options(const CLI::App& app) {
  return app.get_options([](const CLI::Option* option) { return !option->get_lnames().empty(); });
}

bool takes_value(const CLI::Option& option) { return option.get_expected_min() > 0; }

/// A word in single quotes, for both shells.
std::string in_quotes(std::string_view text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

std::string bash_script(const CLI::App& program) {
  std::string names;
  std::string cases;
  for (const CLI::App* app : subcommands(program)) {
    names += ' ' + app->get_name();
    std::string flags;
    std::string values;
    for (const CLI::Option* option : options(*app)) {
      for (const std::string& name : option->get_lnames()) flags += " --" + name;
      if (const auto& words = words_of(*option); !words.empty()) {
        values +=
            fmt::format("        --{}) words='{}' ;;\n", option->get_lnames().front(), fmt::join(words, " "));
      } else if (takes_value(*option)) {
        values += fmt::format("        --{}) files=yes ;;\n", option->get_lnames().front());
      }
    }
    cases += fmt::format(
        "    {})\n"
        "      case $previous in\n{}"
        "        *) words='{}' ; [[ $current == -* ]] || files=yes ;;\n"
        "      esac ;;\n",
        app->get_name(), values, flags.substr(flags.empty() ? 0 : 1));
  }
  return fmt::format(
      "# Completion of anmf for bash.\n"
      "_anmf() {{\n"
      "  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} words='' files=''\n"
      "  COMPREPLY=()\n"
      "  if ((COMP_CWORD == 1)); then\n"
      "    words='{} --help --version'\n"
      "  else\n"
      "    case ${{COMP_WORDS[1]}} in\n"
      "{}"
      "    esac\n"
      "  fi\n"
      "  local reply\n"
      "  [[ $files && $current != -* ]] && while IFS= read -r reply; do COMPREPLY+=(\"$reply\"); done \\\n"
      "    < <(compgen -f -- \"$current\")\n"
      "  [[ $files && $current != -* ]] && return\n"
      "  while IFS= read -r reply; do COMPREPLY+=(\"$reply\"); done < <(compgen -W \"$words\" -- "
      "\"$current\")\n"
      "}}\n"
      "complete -o filenames -F _anmf anmf\n",
      names.substr(1), cases);
}

/// The first line of a description, without what _arguments would take for its own.
std::string zsh_text(const std::string& description) {
  std::string text;
  for (const char c : description) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') text += '\\';
    text += c == '\n' ? ' ' : c;
  }
  return text;
}

std::string zsh_arguments(const CLI::App& app) {
  std::string specs;
  for (const CLI::Option* option : options(app)) {
    const std::string text =
        zsh_text(option->get_description().substr(0, option->get_description().find(":\n")));
    for (const std::string& name : option->get_lnames()) {
      std::string spec = fmt::format("--{}{}[{}]", name, takes_value(*option) ? "=" : "", text);
      if (const auto& words = words_of(*option); !words.empty()) {
        spec += fmt::format(":word:({})", fmt::join(words, " "));
      } else if (takes_value(*option)) {
        spec += ":value:_files";
      }
      specs += fmt::format(" \\\n        {}", in_quotes(spec));
    }
  }
  return specs + " \\\n        '*:input:_files'";
}

std::string zsh_script(const CLI::App& program) {
  std::string names;
  std::string cases;
  for (const CLI::App* app : subcommands(program)) {
    names += fmt::format("    {}\n", in_quotes(app->get_name() + ":" + zsh_text(app->get_description())));
    cases += fmt::format("    {})\n      _arguments{} ;;\n", app->get_name(), zsh_arguments(*app));
  }
  return fmt::format(
      "#compdef anmf\n"
      "_anmf() {{\n"
      "  local -a names=(\n{}  )\n"
      "  if ((CURRENT == 2)); then\n"
      "    _describe subcommand names\n"
      "    return\n"
      "  fi\n"
      "  local name=${{words[2]}}\n"
      "  shift words\n"
      "  ((CURRENT--))\n"
      "  case $name in\n"
      "{}"
      "  esac\n"
      "}}\n"
      "# Found through fpath, this file is the function itself; otherwise it is sourced.\n"
      "if [[ ${{funcstack[1]}} == _anmf ]]; then _anmf \"$@\"; else compdef _anmf anmf; fi\n",
      names, cases);
}

enum class Shell { bash, zsh };

}  // namespace

Command add_completion(CLI::App& program) {
  const auto shell = std::make_shared<Shell>(Shell::bash);
  CLI::App* app = program.add_subcommand("completion", "Print the completion of this program for a shell");
  add_choice<Shell>(*app, "SHELL", *shell, {{"bash", Shell::bash}, {"zsh", Shell::zsh}},
                    "The shell that reads it: bash or zsh")
      ->required()
      ->type_name("");
  app->footer(
      "Examples:\n"
      "  source <(anmf completion bash)\n"
      "  source <(anmf completion zsh)");
  return {app, [shell, &program] {
            fmt::print("{}", *shell == Shell::bash ? bash_script(program) : zsh_script(program));
            return ExitCode::done;
          }};
}

}  // namespace anmf::cli
