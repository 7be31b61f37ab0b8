// SPDX-License-Identifier: MIT
// The bytes are matrix.mtx and, behind =====, features.tsv and barcodes.tsv.
#include "fuzz_checks.h"

using namespace anmf;
using namespace anmf::io_fuzz;

ANMF_FUZZ_TARGET(ten_x_folder) {
  const std::vector<std::string_view> files = parts(as_text(data, size));
  static_cast<void>(written("matrix.mtx", files[0]));
  static_cast<void>(written("features.tsv", files.size() > 1 ? files[1] : ""));
  static_cast<void>(written("barcodes.tsv", files.size() > 2 ? files[2] : ""));
  check_load(folder());
  return 0;
}
