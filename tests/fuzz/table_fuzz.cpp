// SPDX-License-Identifier: MIT
// The bytes are a table in text.
#include "fuzz_checks.h"

using namespace anmf;
using namespace anmf::io_fuzz;

ANMF_FUZZ_TARGET(table) {
  const std::filesystem::path path = written("x.csv", as_text(data, size));
  may_refuse([&] { check(io::read_table<double>(path)); });
  may_refuse([&] { check(io::read_table<float>(path)); });
  return 0;
}
