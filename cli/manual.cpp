// SPDX-License-Identifier: MIT
// anmf manual: the man page, made of what the help of every subcommand says.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

#include "anmf/version.h"
#include "command.h"

namespace anmf::cli {
namespace {

/// Text that roff takes as it is.
std::string roff(std::string_view text) {
  std::string result;
  bool line_begins = true;
  for (const char c : text) {
    if (line_begins && (c == '.' || c == '\'')) result += "\\&";
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else {
      result += c;
    }
    line_begins = c == '\n';
  }
  return result;
}

/// A list inside a description keeps its lines.
std::string paragraph(const std::string& description) {
  const std::size_t list = description.find(":\n  ");
  if (list == std::string::npos) return roff(description) + "\n";
  return fmt::format("{}:\n.nf\n{}\n.fi\n", roff(description.substr(0, list)),
                     roff(description.substr(list + 2)));
}

std::string option_text(const CLI::Option& option) {
  std::string names;
  for (const std::string& name : option.get_snames()) names += fmt::format("-{}, ", name);
  for (const std::string& name : option.get_lnames()) names += fmt::format("--{}, ", name);
  if (names.empty()) names = option.get_name() + ", ";
  names.resize(names.size() - 2);
  const std::string type = option.get_expected_min() > 0 ? option.get_type_name() : std::string();
  return fmt::format(".TP\n\\fB{}\\fR{}{}\n{}", roff(names), type.empty() ? "" : " ", roff(type),
                     paragraph(option.get_description()));
}

std::string subcommand_text(const CLI::App& app) {
  std::string text = fmt::format(".SS anmf {}\n{}.\n", roff(app.get_name()), roff(app.get_description()));
  for (const CLI::Option* option : app.get_options({})) text += option_text(*option);
  return text + fmt::format(".PP\n.nf\n{}\n.fi\n", roff(app.get_footer()));
}

std::string page(const CLI::App& program) {
  std::string text = fmt::format(
      ".TH ANMF 1 \"\" \"anmf {}\"\n"
      ".SH NAME\nanmf \\- nonnegative matrix factorization\n"
      ".SH SYNOPSIS\n\\fBanmf\\fR SUBCOMMAND [OPTION...]\n"
      ".SH DESCRIPTION\n{}.\n.SH SUBCOMMANDS\n",
      kVersion, roff(program.get_description()));
  for (const CLI::App* app : program.get_subcommands({})) {
    if (!app->get_group().empty()) text += subcommand_text(*app);
  }
  text +=
      ".SH EXIT STATUS\n"
      ".TP\n0\nDone.\n.TP\n2\nThe command line is wrong.\n.TP\n3\nThe input is wrong or cannot be read.\n"
      ".TP\n4\nThe arithmetic left the range of the number type.\n.TP\n5\nThe results cannot be written.\n"
      ".TP\n130\nInterrupted by Ctrl\\-C; the result so far, if there is one, is written.\n"
      ".TP\n143\nThe same by SIGTERM or SIGUSR1.\n";
  return text;
}

}  // namespace

Command add_manual(CLI::App& program) {
  CLI::App* app = program.add_subcommand("manual", "Print the manual page of this program");
  app->footer(
      "Examples:\n"
      "  anmf manual | man -l -");
  return {app, [&program] {
            fmt::print("{}", page(program));
            return ExitCode::done;
          }};
}

}  // namespace anmf::cli
