// SPDX-License-Identifier: MIT
// The bytes are the images of a folder, ===== between them, none of which has to be what its name says.
#include "fuzz_checks.h"

using namespace anmf;
using namespace anmf::io_fuzz;

ANMF_FUZZ_TARGET(images) {
  const std::vector<std::string_view> files = parts(as_text(data, size));
  std::error_code ignored;
  for (const char* name : {"a.png", "b.jpg", "c.pgm"}) std::filesystem::remove(folder() / name, ignored);
  static_cast<void>(written("a.png", files[0]));
  if (files.size() > 1) static_cast<void>(written("b.jpg", files[1]));
  if (files.size() > 2) static_cast<void>(written("c.pgm", files[2]));
  check_load(folder());
  return 0;
}
