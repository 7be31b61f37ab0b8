// SPDX-License-Identifier: MIT
// Sound HDF5 files with datasets at the root and in a group, which hdf5_maker.h makes odd.
#include "fuzz_checks.h"
#include "hdf5_maker.h"

using namespace anmf;
using namespace anmf::io_fuzz;

ANMF_FUZZ_TARGET(hdf5) {
  const std::filesystem::path path = folder() / "x.h5";
  Choices choices(data, size);
  {
    Hdf5Maker file(path, choices);
    file.doubles(oddly(choices) ? choices.ConsumeRandomLengthString(6) : "M", {2, 3}, {1, 2, 3, 4, 5, 6});
    if (choices.ConsumeBool()) file.doubles("N", {1, 1}, {7});
    file.group("g");
    file.doubles("g/M", {3, 2}, {1, 2, 3, 4, 5, 6});
    file.texts("labels", 2);
  }
  check_load(path);
  for (const char* place : {"::/M", "::g/M", "::g", "::labels", "::/", "::g//M", "::missing/M"}) {
    may_refuse([&] { check(io::load<float>(path.string() + place)); });
  }
  return 0;
}
