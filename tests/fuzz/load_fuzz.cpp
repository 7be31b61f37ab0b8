// SPDX-License-Identifier: MIT
// The bytes are any file, except of the formats whose own libraries do not bear arbitrary bytes (see
// README.md).
#include "fuzz_checks.h"
#include "io/hdf5.h"
#include "io/matlab.h"

using namespace anmf;
using namespace anmf::io_fuzz;

ANMF_FUZZ_TARGET(load) {
  const std::string_view bytes = as_text(data, size);
  if (bytes.starts_with(io::kHdf5Magic) || io::starts_as_matlab(bytes)) return -1;
  const std::filesystem::path path = written("x", bytes);
  check_load(path);
  may_refuse([&] { check(io::load_dense<double>(path)); });
  may_refuse([&] { check(io::load<double>(path.string() + "::a")); });
  return 0;
}
