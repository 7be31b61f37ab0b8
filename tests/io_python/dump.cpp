// SPDX-License-Identifier: MIT
// Reads a file of any format and writes what was read where the tests in Python can compare it: M as .npy.
#include <exception>
#include <iostream>

#include "anmf/io.h"
#include "support/loaded.h"

int main(int count, char** arguments) {
  if (count != 3) {
    std::cerr << "usage: anmf_io_dump INPUT OUT.npy\n";
    return 2;
  }
  try {
    const auto loaded = anmf::io::load<double>(arguments[1]);
    const anmf::Matrix<double> matrix = anmf::test::as_read(loaded);
    anmf::io::write_npy<double>(arguments[2], matrix.view());
    std::cout << loaded.data->storage() << '\n';
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  return 0;
}
