// SPDX-License-Identifier: MIT
// The bytes are the dict in the header of a .npy file.
#include "fuzz_checks.h"
#include "io/npy_dict.h"

using namespace anmf;
using namespace anmf::io_fuzz;

ANMF_FUZZ_TARGET(npy_dict) {
  may_refuse([&] {
    const io::NpyDict dict = io::parse_npy_dict(as_text(data, size), folder() / "x.npy");
    require(dict.shape.size() <= 64, "too many dimensions");
    for (const Index length : dict.shape) require(length >= 0, "a negative length");
  });
  return 0;
}
