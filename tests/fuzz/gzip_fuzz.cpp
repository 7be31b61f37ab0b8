// SPDX-License-Identifier: MIT
// The bytes are a gzip file of text.
#include "fuzz_checks.h"

using namespace anmf;
using namespace anmf::io_fuzz;

ANMF_FUZZ_TARGET(gzip) {
  const std::filesystem::path path = written("x.csv.gz", as_text(data, size));
  may_refuse([&] { check(io::read_table<double>(path)); });
  check_load(path);
  return 0;
}
