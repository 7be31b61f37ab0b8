// SPDX-License-Identifier: MIT
// What the programs share: finding the subcommand, running it, and turning what goes wrong into one sentence
// and an exit code.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "command.h"

namespace anmf::cli {

/// Several processes may run a program together. By default there is one.
struct Program {
  using Work = std::function<ExitCode()>;
  using Step = std::function<void()>;
  using Facts = std::vector<std::pair<std::string, std::string>>;

  std::string name;
  std::function<std::vector<Command>(CLI::App&)> add_commands;
  /// Runs all of it, and throws what it throws, the same in all processes.
  std::function<ExitCode(const Work&)> run = [](const Work& work) { return work(); };
  /// Runs a step that may fail in one process alone; then it fails in all of them.
  std::function<void(const Step&)> together = [](const Step& step) { step(); };
  /// Throws InvalidInput unless all processes have these names and values.
  std::function<void(const Facts&)> agree = [](const Facts&) {};
  bool speaks = true;  ///< false: prints nothing
};

/// Returns the exit code.
[[nodiscard]] int run_program(const Program& self, int argc, char** argv);

}  // namespace anmf::cli
