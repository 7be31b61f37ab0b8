// SPDX-License-Identifier: MIT
// The bytes are a zip archive. Few survive its checksums: npz_arrays_fuzz goes behind them.
#include "fuzz_checks.h"

using namespace anmf;
using namespace anmf::io_fuzz;

ANMF_FUZZ_TARGET(npz) {
  const std::filesystem::path path = written("x.npz", as_text(data, size));
  may_refuse([&] { check(io::read_npz<float>(path)); });
  may_refuse([&] { check(io::read_npz_sparse<float>(path)); });
  check_load(path);
  return 0;
}
