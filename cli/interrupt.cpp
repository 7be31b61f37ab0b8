// SPDX-License-Identifier: MIT
#include "interrupt.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <string>
#include <tuple>

namespace anmf::cli {
namespace {

constexpr std::array<int, 3> kSignals = {SIGINT, SIGTERM, SIGUSR1};
/// `timeout` and batch systems send a signal to the process and to its group, so it comes twice.
constexpr double kSameRequest = 1;  // seconds

// A handler may touch what is atomic without a lock.
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<double>::is_always_lock_free);
std::atomic<int> heard{0};
std::atomic<double> heard_at{0};
std::atomic<bool> something_to_keep{false};
std::atomic<const std::vector<std::filesystem::path>*> new_folders{nullptr};
// Made beforehand: a handler cannot format.
std::array<std::string, kSignals.size()> farewells;

double now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// Calls only what a handler may call.
[[noreturn]] void end_at_once(int signal) {
  if (const auto* const folders = new_folders.load()) {
    for (const auto& path : *folders) (void)rmdir(path.c_str());
  }
  for (std::size_t k = 0; k < kSignals.size(); ++k) {
    if (kSignals[k] == signal) std::ignore = write(STDERR_FILENO, farewells[k].data(), farewells[k].size());
  }
  _exit(static_cast<int>(interrupt_code()));
}

void hear(int signal, siginfo_t* info, void* /*context*/) {
  const int number = errno;
  const bool by_key = info->si_code > 0;  // from the terminal, not from a process
  int none = 0;
  if (heard.compare_exchange_strong(none, signal)) {
    heard_at = now();
    if (!something_to_keep) end_at_once(signal);
    if (by_key) std::signal(signal, SIG_DFL);
  } else if (by_key || now() - heard_at > kSameRequest) {
    std::signal(signal, SIG_DFL);
    (void)raise(signal);  // comes when this returns
  }
  errno = number;
}

}  // namespace

void hear_interrupts(std::string_view program) {
  constexpr std::array<std::string_view, kSignals.size()> kNames = {"SIGINT", "SIGTERM", "SIGUSR1"};
  for (std::size_t k = 0; k < kSignals.size() && !program.empty(); ++k) {
    farewells[k].append(program).append(": ended by ").append(kNames[k]);
    farewells[k] += " before there was a result; the output is as it was before.\n";
  }
  struct sigaction action = {};
  action.sa_sigaction = hear;
  sigemptyset(&action.sa_mask);
  for (const int signal : kSignals) sigaddset(&action.sa_mask, signal);
  action.sa_flags = SA_SIGINFO | SA_RESTART;  // a file being written is not cut short
  for (const int signal : kSignals) sigaction(signal, &action, nullptr);
}

void keep_from_here() { something_to_keep = true; }

InterruptsWait::InterruptsWait() : kept_before_(something_to_keep.exchange(true)) {}

InterruptsWait::~InterruptsWait() {
  something_to_keep = kept_before_;
  if (!kept_before_ && interrupt_requested()) end_at_once(heard);
}

void remove_when_ended(const std::vector<std::filesystem::path>* folders) { new_folders = folders; }

void ignore_interrupts() {
  for (const int signal : kSignals) std::signal(signal, SIG_IGN);
}

bool interrupt_requested() { return heard != 0; }

ExitCode interrupt_code() { return heard == SIGINT ? ExitCode::interrupted : ExitCode::terminated; }

}  // namespace anmf::cli
