// SPDX-License-Identifier: MIT
// Reads a file of any format and writes what was read where the tests in Python can compare it: M as .npy,
// and the storage and the names of rows and columns as JSON on the standard output.
#include <exception>
#include <iostream>
#include <nlohmann/json.hpp>

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
    const nlohmann::json about = {{"storage", to_string(loaded.data->storage())},
                                  {"row_names", loaded.row_names},
                                  {"col_names", loaded.col_names}};
    std::cout << about.dump() << '\n';
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  return 0;
}
