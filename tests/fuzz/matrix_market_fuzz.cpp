// SPDX-License-Identifier: MIT
// The bytes are a Matrix Market file.
#include "fuzz_checks.h"

using namespace anmf;
using namespace anmf::io_fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::filesystem::path path = written("x.mtx", as_text(data, size));
  may_refuse([&] { static_cast<void>(io::matrix_market_is_dense(path)); });
  may_refuse([&] { check(io::read_matrix_market<double>(path)); });
  may_refuse([&] { check(io::read_matrix_market_array<float>(path)); });
  check_load(path);
  return 0;
}
