// SPDX-License-Identifier: MIT
#include "io/matlab.h"

#include <string>

#include "io/input_file.h"
#include "io/matlab_5.h"
#include "io/matlab_73.h"

namespace anmf::io {

namespace {

bool is_hdf5(const std::filesystem::path& path) {
  constexpr std::string_view kVersion = "MATLAB 7.3";
  std::string start(kVersion.size(), '\0');
  InputFile file(path);
  start.resize(file.read(start.data(), start.size()));
  return start == kVersion;
}

}  // namespace

bool starts_as_matlab(std::string_view text) {
  return text.starts_with("MATLAB 5") || text.starts_with("MATLAB 7");
}

template <class T>
LoadedMatrix<T> load_matlab(const Location& at, const Reading& reading) {
  return is_hdf5(at.file) ? load_matlab_73<T>(at, reading) : load_matlab_5<T>(at, reading);
}

template LoadedMatrix<float> load_matlab<float>(const Location&, const Reading&);
template LoadedMatrix<double> load_matlab<double>(const Location&, const Reading&);

}  // namespace anmf::io
