// SPDX-License-Identifier: MIT
#include "fuzz_target.h"

#include <cstdio>
#include <cstdlib>
#include <map>

namespace anmf::io_fuzz {
namespace {

/// A function, since targets become known before the variables of this file would have been made.
std::map<std::string_view, Target>& known_targets() {
  static std::map<std::string_view, Target> targets;
  return targets;
}

Target chosen_target = nullptr;

}  // namespace

KnownTarget::KnownTarget(std::string_view name, Target target) { known_targets().emplace(name, target); }

}  // namespace anmf::io_fuzz

extern "C" int LLVMFuzzerInitialize(int* /*argc*/, char*** /*argv*/) {
  using namespace anmf::io_fuzz;
  const char* const name = std::getenv("ANMF_FUZZ_TARGET");
  const auto found = known_targets().find(name == nullptr ? "" : name);
  if (found == known_targets().end()) {
    std::fputs("ANMF_FUZZ_TARGET must name one of", stderr);
    for (const auto& target : known_targets()) {
      std::fprintf(stderr, " %.*s", static_cast<int>(target.first.size()), target.first.data());
    }
    std::fputs(".\n", stderr);
    std::exit(2);
  }
  chosen_target = found->second;
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return anmf::io_fuzz::chosen_target(data, size);
}
