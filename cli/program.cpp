// SPDX-License-Identifier: MIT
#include "program.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <csignal>
#include <cstdio>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <sstream>
#include <string_view>
#include <utility>

#include "anmf/version.h"
#include "command_line.h"
#include "failure.h"
#include "interrupt.h"
#include "settings.h"
#include "suggestion.h"

namespace anmf::cli {
namespace {

/// CLI11 would write --no-revive{false}.
class HelpFormatter final : public CLI::Formatter {
  std::string make_option_name(const CLI::Option* option, bool is_positional) const override {
    std::string name = CLI::Formatter::make_option_name(option, is_positional);
    constexpr std::string_view kValue = "{false}";
    if (const std::size_t at = name.find(kValue); at != std::string::npos) name.erase(at, kValue.size());
    return name;
  }
};

int complain(const Program& self, ExitCode code, std::string_view sentence) {
  // Where one rank of a job fails, mpirun may end the others while they are on their way out.
  ignore_interrupts();
  if (self.speaks) fmt::print(stderr, "{}: {}\n", self.name, sentence);
  return static_cast<int>(code);
}

/// A word that looks like an option and is none. CLI11 would first say what is missing.
std::optional<std::string> unknown_option(const CLI::App& app) {
  for (const std::string& word : app.remaining()) {
    const bool is_option = word.size() > 1 && word[0] == '-' && std::isdigit(word[1]) == 0 && word != "--";
    if (is_option) return word.substr(0, word.find('='));
  }
  return std::nullopt;
}

std::string about_unknown_option(const CLI::App& app, const std::string& word) {
  std::vector<std::string> known;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  }
  return fmt::format("there is no option {}{}", word, did_you_mean(word, known));
}

Failure usage_error(const Program& self, const CLI::App& program, const CLI::ParseError& error) {
  const auto chosen = program.get_subcommands();
  // CLI11 would only say that there is no subcommand, not that the word given is none.
  if (chosen.empty() && !program.remaining().empty()) {
    const std::string word = program.remaining().front();
    std::vector<std::string> names;
    for (const CLI::App* app : program.get_subcommands({})) names.push_back(app->get_name());
    const std::string meant = did_you_mean(word, names);
    return {ExitCode::usage, fmt::format("'{}' is neither a subcommand nor an option{} choose one of {}.",
                                         word, meant.empty() ? ";" : meant, fmt::join(names, " "))};
  }
  const std::string command = chosen.empty() ? self.name : self.name + " " + chosen.front()->get_name();
  const auto unknown = chosen.empty() ? std::nullopt : unknown_option(*chosen.front());
  const std::string what = unknown ? about_unknown_option(*chosen.front(), *unknown) : error.what();
  return {ExitCode::usage, fmt::format("{} (see {} --help)", what, command)};
}

/// What the command line asks for: a text, or a command.
struct Request {
  std::string answer;
  const Command* command = nullptr;

  [[nodiscard]] Program::Facts facts() const {
    Program::Facts facts = {{"the version", kVersion}};
    facts.emplace_back("the command", command != nullptr ? command->app->get_name() : "--help or --version");
    if (command != nullptr) {
      for (auto& option : all_options(*command->app)) facts.push_back(std::move(option));
    }
    return facts;
  }
};

Request parse(const Program& self, CLI::App& program, std::span<const Command> commands,
              std::span<char*> words) {
  try {
    program.parse(static_cast<int>(words.size()), words.data());
  } catch (const CLI::Success& asked) {
    std::ostringstream answer;
    (void)program.exit(asked, answer, answer);
    return {.answer = answer.str()};
  } catch (const CLI::ParseError& error) {
    throw usage_error(self, program, error);
  }
  const auto chosen = std::find_if(commands.begin(), commands.end(),
                                   [](const Command& command) { return command.app->parsed(); });
  return {.command = &*chosen};  // one is required
}

ExitCode run(const Program& self, std::span<char*> words) {
  CLI::App program{"Nonnegative matrix factorization: M ~ W H with W >= 0 and H >= 0", self.name};
  program.formatter(std::make_shared<HelpFormatter>());
  program.set_version_flag("--version", self.name + " " + kVersion, "Print the version and exit");
  program.set_help_flag("--help,-h", "Print this help and exit");
  program.require_subcommand(1);
  program.footer(fmt::format("Every subcommand has its own help: {} factorize --help", self.name));
  const std::vector<Command> commands = self.add_commands(program);
  Request request;
  self.together([&] { request = parse(self, program, commands, words); });
  in_phase(ExitCode::usage, [&] { self.agree(request.facts()); });
  if (self.speaks) std::fputs(request.answer.c_str(), stdout);
  const ExitCode code = request.command != nullptr ? request.command->run() : ExitCode::done;
  // A report that did not reach its reader is a failed write, even though the files are in place.
  if (std::fflush(stdout) != 0) {
    throw Failure(ExitCode::output,
                  fmt::format("cannot write to standard output{}.",
                              request.command != nullptr ? "; the result files are complete" : ""));
  }
  return code;
}

}  // namespace

int run_program(const Program& self, int argc, char** argv) {
  // A file that outgrows the limit of the shell is reported like a full disk, and does not end the program.
  std::signal(SIGXFSZ, SIG_IGN);
  hear_interrupts(self.speaks ? self.name : "");
  const std::span<char*> words(argv, static_cast<std::size_t>(argc));
  remember_command_line(words);
  try {
    return static_cast<int>(self.run([&] { return run(self, words); }));
  } catch (const Failure& failure) {
    return complain(self, failure.code(), failure.what());
  } catch (const std::exception& error) {
    return complain(self, ExitCode::bug, fmt::format("unexpected error, please report it: {}", error.what()));
  }
}

}  // namespace anmf::cli
