// SPDX-License-Identifier: MIT
// What the programs share: finding the subcommand, running it, and turning what goes wrong into one sentence
// and an exit code.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "command.h"

namespace anmf::cli {

struct Program {
  std::string name;
  std::function<std::vector<Command>(CLI::App&)> add_commands;
  /// Runs one; throws what the command throws.
  std::function<ExitCode(const Command&)> run = [](const Command& command) { return command.run(); };
  bool speaks = true;  ///< false: prints nothing
};

/// Returns the exit code.
[[nodiscard]] int run_program(const Program& self, int argc, char** argv);

}  // namespace anmf::cli
