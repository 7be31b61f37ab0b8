// SPDX-License-Identifier: MIT
// MATLAB files of version 7.3, which are HDF5 behind 512 bytes, with a dense and a sparse variable that
// hdf5_maker.h makes odd.
#include "fuzz_checks.h"
#include "hdf5_maker.h"

using namespace anmf;
using namespace anmf::io_fuzz;

namespace {

constexpr std::size_t kUserBlock = 512;

void add_header(const std::filesystem::path& path) {
  std::string header = "MATLAB 7.3 MAT-file";
  header.resize(124, ' ');
  header += std::string("\0\2IM", 4);
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.write(header.data(), static_cast<std::streamsize>(header.size()));
}

}  // namespace

ANMF_FUZZ_TARGET(matlab_73) {
  const std::filesystem::path path = folder() / "x.mat";
  Choices choices(data, size);
  {
    Hdf5Maker file(path, choices, kUserBlock);
    file.doubles("M", {3, 2}, {1, 2, 3, 4, 5, 6});
    file.text_attribute("M", "MATLAB_class", "double");
    if (choices.ConsumeBool()) {
      file.group("S");
      file.text_attribute("S", "MATLAB_class", "double");
      file.whole_attribute("S", "MATLAB_sparse", {3});
      file.doubles("S/data", {3}, {1, 2, 3});
      file.wholes("S/ir", {0, 2, 1});
      file.wholes("S/jc", {0, 2, 3});
    }
  }
  add_header(path);
  check_load(path);
  may_refuse([&] { check(io::load<double>(path.string() + "::M")); });
  may_refuse([&] { check(io::load<double>(path.string() + "::S")); });
  return 0;
}
