// SPDX-License-Identifier: MIT
// The bytes are a matrix of CLUTO, and behind ===== the labels of its rows and columns.
#include "fuzz_checks.h"

using namespace anmf;
using namespace anmf::io_fuzz;

ANMF_FUZZ_TARGET(cluto) {
  const std::vector<std::string_view> files = parts(as_text(data, size));
  const std::filesystem::path path = written("x.mat", files[0]);
  static_cast<void>(written("x.mat.rlabel", files.size() > 1 ? files[1] : ""));
  static_cast<void>(written("x.mat.clabel", files.size() > 2 ? files[2] : ""));
  may_refuse([&] { check(io::read_cluto<double>(path)); });
  may_refuse([&] { check(io::read_cluto<float>(path)); });
  check_load(path);
  return 0;
}
