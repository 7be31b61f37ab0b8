// SPDX-License-Identifier: MIT
// The bytes are a MATLAB file of version 5.
#include "fuzz_checks.h"

using namespace anmf;
using namespace anmf::io_fuzz;

ANMF_FUZZ_TARGET(matlab) {
  const std::string_view bytes = as_text(data, size);
  if (!bytes.starts_with("MATLAB 5")) return -1;
  const std::filesystem::path path = written("x.mat", bytes);
  check_load(path);
  check_load(path.string() + "::a");
  return 0;
}
