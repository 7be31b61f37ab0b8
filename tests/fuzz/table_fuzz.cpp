// SPDX-License-Identifier: MIT
// The bytes are a table in text.
#include "fuzz_checks.h"

using namespace anmf;
using namespace anmf::io_fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::filesystem::path path = written("x.csv", as_text(data, size));
  may_refuse([&] { check(io::read_table<double>(path)); });
  may_refuse([&] { check(io::read_table<float>(path)); });
  return 0;
}
