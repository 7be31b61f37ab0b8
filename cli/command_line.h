// SPDX-License-Identifier: MIT
// The command line of this process, for the record that a run leaves.
#pragma once

#include <span>
#include <string>

namespace anmf::cli {

/// The words as a shell would take them back: quoted where they need it, the program's name without its
/// folder.
[[nodiscard]] std::string shell_command(std::span<const char* const> words);

/// Called once by main(), before anything asks.
void remember_command_line(std::span<const char* const> words);

/// What was typed; empty outside the program.
[[nodiscard]] const std::string& command_line();

}  // namespace anmf::cli
