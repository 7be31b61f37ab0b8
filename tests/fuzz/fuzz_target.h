// SPDX-License-Identifier: MIT
// All targets are functions of one program, which is linked once; the environment names the one that is run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace anmf::io_fuzz {

/// Tries one input; -1 if it is not worth keeping in the corpus.
using Target = int (*)(const std::uint8_t* data, std::size_t size);

/// Makes a target known under its name before main() begins.
struct KnownTarget {
  KnownTarget(std::string_view name, Target target);
};

}  // namespace anmf::io_fuzz

/// `ANMF_FUZZ_TARGET(npy) { ... }` is the target `npy`, in which the input is `data` and `size`.
#define ANMF_FUZZ_TARGET(name)                                              \
  static int fuzz_##name(const std::uint8_t* data, std::size_t size);       \
  static const anmf::io_fuzz::KnownTarget known_##name(#name, fuzz_##name); \
  static int fuzz_##name(const std::uint8_t* data, std::size_t size)
