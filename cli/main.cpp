// SPDX-License-Identifier: MIT
// The program: finds the subcommand, runs it, and turns what goes wrong into one sentence and an exit code.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "anmf/version.h"
#include "command.h"
#include "command_line.h"
#include "failure.h"

namespace anmf::cli {
namespace {

int complain(ExitCode code, std::string_view sentence) {
  fmt::print(stderr, "anmf: {}\n", sentence);
  return static_cast<int>(code);
}

int usage_error(const CLI::App& program, const CLI::ParseError& error) {
  const auto chosen = program.get_subcommands();
  // CLI11 would only say that there is no subcommand, not that the word given is none.
  if (chosen.empty() && !program.remaining().empty()) {
    std::string names;
    for (const CLI::App* app : program.get_subcommands({})) names += fmt::format(" {}", app->get_name());
    return complain(ExitCode::usage,
                    fmt::format("'{}' is neither a subcommand nor an option; choose one of{}.",
                                program.remaining().front(), names));
  }
  const std::string command = chosen.empty() ? "anmf" : "anmf " + chosen.front()->get_name();
  return complain(ExitCode::usage, fmt::format("{} (see {} --help)", error.what(), command));
}

int run(const Command& command) {
  try {
    const ExitCode code = command.run();
    // A report that did not reach its reader is a failed write, even though the files are in place.
    if (std::fflush(stdout) != 0) {
      return complain(ExitCode::output, "cannot write to standard output; the result files are complete.");
    }
    return static_cast<int>(code);
  } catch (const Failure& failure) {
    return complain(failure.code(), failure.what());
  } catch (const std::exception& error) {
    return complain(ExitCode::bug, fmt::format("unexpected error, please report it: {}", error.what()));
  }
}

int run_program(int argc, char** argv) {
  // A file that outgrows the limit of the shell is reported like a full disk, and does not end the program.
  std::signal(SIGXFSZ, SIG_IGN);
  remember_command_line({argv, static_cast<std::size_t>(argc)});
  CLI::App program{"Nonnegative matrix factorization: M ~ W H with W >= 0 and H >= 0", "anmf"};
  program.set_version_flag("--version", std::string("anmf ") + kVersion, "Print the version and exit");
  program.set_help_flag("--help,-h", "Print this help and exit");
  program.require_subcommand(1);
  program.footer("Every subcommand has its own help: anmf factorize --help");
  const std::vector<Command> commands = {
      add_factorize(program), add_transform(program),  add_info(program),
      add_convert(program),   add_compare(program),    add_reproduce(program),
      add_demo(program),      add_completion(program), add_manual(program)};

  try {
    program.parse(argc, argv);
  } catch (const CLI::Success& request) {
    return program.exit(request);
  } catch (const CLI::ParseError& error) {
    return usage_error(program, error);
  } catch (const Failure& failure) {  // options that come from a file
    return complain(failure.code(), failure.what());
  }
  for (const Command& command : commands) {
    if (command.app->parsed()) return run(command);
  }
  return static_cast<int>(ExitCode::usage);
}

}  // namespace
}  // namespace anmf::cli

int main(int argc, char** argv) {
  try {
    return anmf::cli::run_program(argc, argv);
  } catch (...) {  // not even the options could be set up, or stderr is gone
    return static_cast<int>(anmf::cli::ExitCode::bug);
  }
}
