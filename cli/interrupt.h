// SPDX-License-Identifier: MIT
// The signals that ask a program to end: SIGINT (Ctrl-C), SIGTERM (batch systems, containers, timeout) and
// SIGUSR1 (which batch systems send ahead of the end). As long as there is nothing to keep they end it at
// once, in the midst of whatever it does. From then on the first one is noted, so that the run ends after the
// current iteration and keeps its result; a second one has its default action.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "failure.h"

namespace anmf::cli {

/// From here on these signals are heard, also SIGINT where a shell that started the program in the background
/// has it ignored. A program that ends at once says so under this name, or says nothing without one.
void hear_interrupts(std::string_view program);

/// From here on there is something to keep, and signals are requests.
void keep_from_here();

/// While it lives signals wait, say until a file that was begun is whole; then they count as before.
class InterruptsWait {
 public:
  InterruptsWait();
  ~InterruptsWait();
  InterruptsWait(const InterruptsWait&) = delete;
  InterruptsWait& operator=(const InterruptsWait&) = delete;

 private:
  bool kept_before_;
};

/// Folders to remove, if they are empty, when a signal ends the program at once. They must stay where they
/// are until others, or null, take their place.
void remove_when_ended(const std::vector<std::filesystem::path>* folders);

/// How the program ends is decided: signals change neither that nor what is said of it.
void ignore_interrupts();

/// True once a signal has asked for the end.
[[nodiscard]] bool interrupt_requested();
/// The exit code that says so: 130 after SIGINT, 143 after the others, or where another process heard it.
[[nodiscard]] ExitCode interrupt_code();

}  // namespace anmf::cli
