// SPDX-License-Identifier: MIT
// A program that is killed at a moment that can be counted: right before one of the system calls by which
// names in a folder change.
#pragma once

#include <fcntl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace anmf::test {

enum class End { killed, finished, not_traced };

/// Runs `program arguments...` in `folder` and kills it before its main thread renames or removes something
/// for the n-th time (n >= 1); it has finished if it does so less often. Where nobody may trace processes
/// nothing is run.
inline End run_and_kill_at(int n, const std::filesystem::path& folder, const std::string& program,
                           const std::vector<std::string>& arguments) {
  std::vector<std::string> owned = {program};
  owned.insert(owned.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& argument : owned) argv.push_back(argument.data());
  argv.push_back(nullptr);
  constexpr int kNotTraced = 127;
  const pid_t child = fork();
  if (child == 0) {
    const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    (void)dup2(null, STDOUT_FILENO);
    (void)dup2(null, STDERR_FILENO);
    if (chdir(folder.c_str()) != 0 || ptrace(PTRACE_TRACEME, 0, 0, 0) != 0) _exit(kNotTraced);
    execv(argv[0], argv.data());
    _exit(kNotTraced);
  }
  const std::set<std::uint64_t> changes = {
#ifdef SYS_rename
      SYS_rename,    SYS_unlink,  SYS_rmdir,
#endif
#ifdef SYS_renameat
      SYS_renameat,
#endif
      SYS_renameat2, SYS_unlinkat};
  int status = 0;
  if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) return End::not_traced;
  ptrace(PTRACE_SETOPTIONS, child, 0, PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD);
  for (int signal = 0;;) {
    ptrace(PTRACE_SYSCALL, child, 0, signal);
    if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) return End::finished;
    const bool at_call = WSTOPSIG(status) == (SIGTRAP | 0x80);
    signal = at_call ? 0 : WSTOPSIG(status);
    if (!at_call) continue;
    __ptrace_syscall_info call{};
    ptrace(PTRACE_GET_SYSCALL_INFO, child, sizeof(call), &call);
    if (call.op != PTRACE_SYSCALL_INFO_ENTRY || !changes.contains(call.entry.nr) || --n > 0) continue;
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    return End::killed;
  }
}

}  // namespace anmf::test
