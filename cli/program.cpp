// SPDX-License-Identifier: MIT
#include "program.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <exception>
#include <string_view>

#include "anmf/version.h"
#include "command_line.h"
#include "failure.h"

namespace anmf::cli {
namespace {

int complain(const Program& self, ExitCode code, std::string_view sentence) {
  if (self.speaks) fmt::print(stderr, "{}: {}\n", self.name, sentence);
  return static_cast<int>(code);
}

int usage_error(const Program& self, const CLI::App& program, const CLI::ParseError& error) {
  const auto chosen = program.get_subcommands();
  // CLI11 would only say that there is no subcommand, not that the word given is none.
  if (chosen.empty() && !program.remaining().empty()) {
    std::string names;
    for (const CLI::App* app : program.get_subcommands({})) names += fmt::format(" {}", app->get_name());
    return complain(self, ExitCode::usage,
                    fmt::format("'{}' is neither a subcommand nor an option; choose one of{}.",
                                program.remaining().front(), names));
  }
  const std::string command = chosen.empty() ? self.name : self.name + " " + chosen.front()->get_name();
  return complain(self, ExitCode::usage, fmt::format("{} (see {} --help)", error.what(), command));
}

int run(const Program& self, const Command& command) {
  try {
    const ExitCode code = self.run(command);
    // A report that did not reach its reader is a failed write, even though the files are in place.
    if (std::fflush(stdout) != 0) {
      return complain(self, ExitCode::output,
                      "cannot write to standard output; the result files are complete.");
    }
    return static_cast<int>(code);
  } catch (const Failure& failure) {
    return complain(self, failure.code(), failure.what());
  } catch (const std::exception& error) {
    return complain(self, ExitCode::bug, fmt::format("unexpected error, please report it: {}", error.what()));
  }
}

}  // namespace

int run_program(const Program& self, int argc, char** argv) {
  // A file that outgrows the limit of the shell is reported like a full disk, and does not end the program.
  std::signal(SIGXFSZ, SIG_IGN);
  remember_command_line({argv, static_cast<std::size_t>(argc)});
  CLI::App program{"Nonnegative matrix factorization: M ~ W H with W >= 0 and H >= 0", self.name};
  program.set_version_flag("--version", self.name + " " + kVersion, "Print the version and exit");
  program.set_help_flag("--help,-h", "Print this help and exit");
  program.require_subcommand(1);
  program.footer(fmt::format("Every subcommand has its own help: {} factorize --help", self.name));
  const std::vector<Command> commands = self.add_commands(program);

  try {
    program.parse(argc, argv);
  } catch (const CLI::Success& request) {
    return self.speaks ? program.exit(request) : static_cast<int>(ExitCode::done);
  } catch (const CLI::ParseError& error) {
    return usage_error(self, program, error);
  } catch (const Failure& failure) {  // options that come from a file
    return complain(self, failure.code(), failure.what());
  }
  for (const Command& command : commands) {
    if (command.app->parsed()) return run(self, command);
  }
  return static_cast<int>(ExitCode::usage);
}

}  // namespace anmf::cli
