// SPDX-License-Identifier: MIT
// Ctrl-C as a request. The first one is noted, so that the run can end after the current iteration and
// keep its result; the second one has its default action and ends the program at once.
#pragma once

#include <csignal>

namespace anmf::cli {

/// While it lives, SIGINT is a request. One at a time.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

 private:
  struct sigaction previous_ = {};
};

/// True once SIGINT has arrived under an InterruptGuard.
[[nodiscard]] bool interrupt_requested();

}  // namespace anmf::cli
