// SPDX-License-Identifier: MIT
#include "validate/memory.h"

#include <fmt/format.h>

#include <limits>

#include "anmf/error.h"

#if defined(__linux__)
#include <sys/sysinfo.h>
#endif

namespace anmf::validate {
namespace {

constexpr double kGigabyte = 1e9;

double bytes_of_machine() {
#if defined(__linux__)
  struct sysinfo info{};
  if (sysinfo(&info) == 0) {
    return (static_cast<double>(info.totalram) + static_cast<double>(info.totalswap)) * info.mem_unit;
  }
#endif
  return std::numeric_limits<double>::infinity();
}

}  // namespace

void memory(std::string_view what, double bytes, std::string_view advice) {
  const double there = bytes_of_machine();
  if (bytes <= there) return;
  throw NotEnoughMemory(
      fmt::format("{} take at least {:.0f} GB, and this machine has {:.0f} GB of memory; {}.", what,
                  bytes / kGigabyte, there / kGigabyte, advice));
}

}  // namespace anmf::validate
