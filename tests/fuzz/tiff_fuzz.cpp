// SPDX-License-Identifier: MIT
// The bytes are a TIFF file.
#include "fuzz_checks.h"
#include "io/tiff.h"

using namespace anmf;
using namespace anmf::io_fuzz;

ANMF_FUZZ_TARGET(tiff) {
  const std::string_view bytes = as_text(data, size);
  if (!io::starts_as_tiff(bytes)) return -1;
  const std::filesystem::path path = written("x.tif", bytes);
  check_load(path);
  may_refuse([&] { static_cast<void>(io::read_tiff_image(path)); });
  return 0;
}
