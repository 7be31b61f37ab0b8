// SPDX-License-Identifier: MIT
// Files of 10x Genomics with 3 features and 2 barcodes, of the new or the old kind, which hdf5_maker.h makes
// odd.
#include "fuzz_checks.h"
#include "hdf5_maker.h"

using namespace anmf;
using namespace anmf::io_fuzz;

ANMF_FUZZ_TARGET(ten_x_h5) {
  const std::filesystem::path path = folder() / "x.h5";
  Choices choices(data, size);
  {
    Hdf5Maker file(path, choices);
    const bool old = choices.ConsumeBool();
    const std::string group = old ? "GRCh38" : "matrix";
    file.group(group);
    file.wholes(group + "/shape", {3, 2});
    file.doubles(group + "/data", {3}, {1, 2, 3});
    file.wholes(group + "/indices", {0, 2, 1});
    file.wholes(group + "/indptr", {0, 2, 3});
    file.texts(group + "/barcodes", 2);
    if (!old) file.group(group + "/features");
    file.texts(group + (old ? "/gene_names" : "/features/name"), 3);
  }
  check_load(path);
  return 0;
}
