// SPDX-License-Identifier: MIT
#include "io/detect.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <system_error>

#include "anmf/error.h"
#include "io/container_format.h"
#include "io/detect_text.h"
#include "io/gzip_stream.h"
#include "io/hdf5.h"
#include "io/image_folder.h"
#include "io/input_file.h"
#include "io/matlab.h"
#include "io/matrix_market_header.h"
#include "io/npy_header.h"
#include "io/ten_x.h"

namespace anmf::io {

namespace {

[[noreturn]] void fail_unknown(const std::filesystem::path& path, std::string_view start) {
  const std::string extension = path.extension().string();
  const std::string found =
      start.empty() ? "is empty" : fmt::format("begins with {}", in_quotes(start.substr(0, 16)));
  std::string hint;
  if (extension == ".npy" || extension == ".npz" || extension == ".mtx" || extension == ".gz" ||
      extension == ".anmf") {
    hint = fmt::format(" The name ends in {}, but the content does not match it.", extension);
  }
  throw InvalidInput(fmt::format(
      "{}: is not a supported matrix file: it {}, expected NumPy (.npy, .npz), Matrix Market (.mtx, "
      ".mtx.gz), a table of numbers (.csv, .tsv), HDF5 (.h5, .h5ad), MATLAB (.mat), a container (.anmf), "
      "svmlight, CLUTO or a bag of words.{}",
      path.string(), found, hint));
}

[[noreturn]] void fail_compressed(const std::filesystem::path& path, std::string_view kind) {
  throw InvalidInput(
      fmt::format("{}: is a gzip file of a {} file; it must be uncompressed first.", path.string(), kind));
}

bool starts_as_zip(std::string_view start) {
  return start.starts_with("PK\x03\x04") || start.starts_with("PK\x05\x06");  // the latter is empty
}

Format detect_folder(const std::filesystem::path& path) {
  if (ten_x_matrix(path)) return Format::kTenX;
  if (!images_in(path).empty()) return Format::kImages;
  throw InvalidInput(
      fmt::format("{}: is a folder in which there is neither matrix.mtx (10x) nor an image "
                  "(.png, .jpg, .pgm).",
                  path.string()));
}

}  // namespace

Format detect(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return detect_folder(path);
  LineReader reader(path);
  const std::string_view start = reader.peek();
  if (starts_as_matrix_market(start)) return Format::kMatrixMarket;
  if (start.starts_with(kNpyMagic)) {
    if (reader.compressed()) fail_compressed(path, ".npy");
    return Format::kNpy;
  }
  if (start.starts_with(kHdf5Magic)) {
    if (reader.compressed()) fail_compressed(path, "HDF5");
    return Format::kHdf5;
  }
  if (start.starts_with(kContainerMagic)) {
    if (reader.compressed()) fail_compressed(path, ".anmf");
    return Format::kContainer;
  }
  if (starts_as_matlab(start)) {
    if (reader.compressed()) fail_compressed(path, ".mat");
    return Format::kMatlab;
  }
  if (starts_as_zip(start)) {
    if (reader.compressed()) fail_compressed(path, ".npz");
    return Format::kNpz;
  }
  if (looks_like_svmlight(start)) return Format::kSvmlight;
  if (looks_like_cluto(start)) return Format::kCluto;
  if (looks_like_bag_of_words(start)) return Format::kBagOfWords;
  if (looks_like_table(start)) return Format::kTable;
  fail_unknown(path, start);
}

}  // namespace anmf::io
