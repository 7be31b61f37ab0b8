// SPDX-License-Identifier: MIT
// The bytes are a file of svmlight.
#include "fuzz_checks.h"

using namespace anmf;
using namespace anmf::io_fuzz;

ANMF_FUZZ_TARGET(svmlight) {
  const std::filesystem::path path = written("x.svmlight", as_text(data, size));
  may_refuse([&] { check(io::read_svmlight<double>(path)); });
  may_refuse([&] { check(io::read_svmlight<float>(path)); });
  return 0;
}
