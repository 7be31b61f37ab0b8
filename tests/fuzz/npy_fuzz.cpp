// SPDX-License-Identifier: MIT
// The bytes are a .npy file.
#include "fuzz_checks.h"

using namespace anmf;
using namespace anmf::io_fuzz;

ANMF_FUZZ_TARGET(npy) {
  const std::filesystem::path path = written("x.npy", as_text(data, size));
  may_refuse([&] { check(io::read_npy<double>(path)); });
  may_refuse([&] { check(io::read_npy<float>(path)); });
  may_refuse([&] { check(io::read_npy<std::uint8_t>(path)); });
  may_refuse([&] { check(io::read_npy<std::uint16_t>(path)); });
  check_load(path);
  return 0;
}
