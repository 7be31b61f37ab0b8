// SPDX-License-Identifier: MIT
// The bytes are a Matrix Market file.
#include "fuzz_checks.h"

using namespace anmf;
using namespace anmf::io_fuzz;

ANMF_FUZZ_TARGET(matrix_market) {
  const std::filesystem::path path = written("x.mtx", as_text(data, size));
  may_refuse([&] { static_cast<void>(io::matrix_market_is_dense(path)); });
  may_refuse([&] { check(io::read_matrix_market<double>(path)); });
  may_refuse([&] { check(io::read_matrix_market_array<float>(path)); });
  check_load(path);
  return 0;
}
