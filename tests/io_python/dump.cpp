// SPDX-License-Identifier: MIT
// Reads a file of any format and writes what was read where the tests in Python can compare it: M as .npy,
// and its storage, names and images as JSON on the standard output.
#include <exception>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string_view>

#include "anmf/io.h"
#include "support/loaded.h"

int main(int count, char** arguments) {
  if (count != 3 && count != 4) {
    std::cerr << "usage: anmf_io_dump INPUT OUT.npy [pixels-first|pixels-last]\n";
    return 2;
  }
  try {
    const std::string_view axes = count == 4 ? arguments[3] : "";
    const auto cube = axes == "pixels-last"    ? anmf::io::Cube::pixels_last
                      : axes == "pixels-first" ? anmf::io::Cube::pixels_first
                                               : anmf::io::Cube::automatic;
    const auto loaded =
        anmf::io::load<double>(anmf::io::open(arguments[1], anmf::io::TextLines::automatic, cube));
    const anmf::Matrix<double> matrix = anmf::test::as_read(loaded);
    anmf::io::write_npy<double>(arguments[2], matrix.view());
    const nlohmann::json about = {{"storage", to_string(loaded.data->storage())},
                                  {"row_names", loaded.row_names},
                                  {"col_names", loaded.col_names},
                                  {"image_shape", {loaded.images.height, loaded.images.width}}};
    std::cout << about.dump() << '\n';
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  return 0;
}
