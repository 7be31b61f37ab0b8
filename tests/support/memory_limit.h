// SPDX-License-Identifier: MIT
#pragma once

#include <sys/resource.h>
#include <unistd.h>

#include <fstream>

namespace anmf::test {

/// Lets the process grow by `bytes` and no further; beyond it memory and threads are refused. Sanitizers
/// reserve terabytes of addresses, so that no limit is possible under them.
class MemoryLimit {
 public:
  explicit MemoryLimit(rlim_t bytes) {
    getrlimit(RLIMIT_AS, &old_limit_);
    rlim_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlim_t used = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
    constexpr rlim_t kTerabyte = rlim_t{1} << 40;
    if (used == 0 || used > kTerabyte) return;
    rlimit limit = old_limit_;
    limit.rlim_cur = used + bytes;
    in_force_ = setrlimit(RLIMIT_AS, &limit) == 0;
  }
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;
  ~MemoryLimit() { setrlimit(RLIMIT_AS, &old_limit_); }

  [[nodiscard]] bool in_force() const { return in_force_; }

 private:
  rlimit old_limit_{};
  bool in_force_ = false;
};

}  // namespace anmf::test
