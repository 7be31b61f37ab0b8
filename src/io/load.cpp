// SPDX-License-Identifier: MIT
// Any supported matrix file.
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "anmf/error.h"
#include "anmf/io.h"
#include "io/container.h"
#include "io/detect.h"
#include "io/hdf5.h"
#include "io/image_folder.h"
#include "io/input_file.h"
#include "io/location.h"
#include "io/matlab.h"
#include "io/name_list.h"
#include "io/names_beside.h"
#include "io/npz.h"
#include "io/own.h"
#include "io/ten_x.h"

namespace anmf::io {

namespace {

bool holds_several(Format format) {
  return format == Format::kNpz || format == Format::kHdf5 || format == Format::kMatlab;
}

// The format of a file; "::name" is only for formats that hold several matrices.
Format detect_at(const Location& at) {
  const Format format = detect(at.file);
  if (!at.inside.empty() && !holds_several(format)) {
    throw InvalidInput(fmt::format("{}: holds one matrix, which has no name; {} must be left out.",
                                   at.file.string(), in_quotes("::" + at.inside)));
  }
  return format;
}

template <class T>
LoadedMatrix<T> load_table(const std::filesystem::path& path, Negative negative, Header header) {
  Table<T> table = read_table<T>(path, header);
  LoadedMatrix<T> result = own_dense<T>(path, std::move(table.matrix), negative);
  result.row_names = std::move(table.row_names);
  result.col_names = std::move(table.col_names);
  return result;
}

template <class T>
LoadedMatrix<T> load_cluto(const std::filesystem::path& path, Negative negative) {
  LoadedMatrix<T> result = own_sparse(path, read_cluto<T>(path), negative);
  result.row_names = read_names_if_there(cluto_labels_beside(path, 'r'), result.data->rows());
  result.col_names = read_names_if_there(cluto_labels_beside(path, 'c'), result.data->cols());
  return result;
}

template <class T>
LoadedMatrix<T> load_bag_of_words(const std::filesystem::path& path, Negative negative) {
  LoadedMatrix<T> result = own_sparse(path, read_bag_of_words<T>(path), negative);
  result.col_names = read_names_if_there(vocabulary_beside(path), result.data->cols());
  return result;
}

template <class T>
LoadedMatrix<T> load_npz(const Location& at, Negative negative) {
  const ZipArchive archive(at.file);
  if (at.inside.empty() && npz_is_sparse(archive))
    return own_sparse(at.file, read_npz_sparse<T>(at.file), negative);
  const std::string key = choose_npz_key(archive, at.file, at.inside);
  return own_npy<T>(npz_array_name(at.file, key), [&] { return archive.open(key + ".npy"); }, negative);
}

[[noreturn]] void fail_sparse(const Location& at) {
  throw InvalidInput(
      fmt::format("{}: holds a sparse matrix, expected a dense one (.npy).", at.file.string()));
}

template <class T>
Matrix<T> read_dense(const Location& at) {
  switch (detect_at(at)) {
    case Format::kNpy:
      return read_npy<T>(at.file);
    case Format::kNpz:
      if (at.inside.empty() && npz_is_sparse(ZipArchive(at.file))) fail_sparse(at);
      return read_npz<T>(at.file, at.inside);
    case Format::kTable:
      return read_table<T>(at.file).matrix;
    case Format::kSvmlight:
    case Format::kCluto:
    case Format::kBagOfWords:
    case Format::kTenX:
    case Format::kContainer:
      fail_sparse(at);
    case Format::kHdf5:
    case Format::kMatlab:
      throw InvalidInput(fmt::format("{}: is an HDF5 or MATLAB file, expected .npy.", at.file.string()));
    case Format::kImages:
      throw InvalidInput(fmt::format("{}: is a folder of images, expected a file (.npy).", at.file.string()));
    case Format::kMatrixMarket:
      break;
  }
  if (!matrix_market_is_dense(at.file)) fail_sparse(at);
  return read_matrix_market_array<T>(at.file);
}

template <class T>
LoadedMatrix<T> load_any(const std::filesystem::path& path, Negative negative, Header header) {
  const Location at = split_location(path);
  switch (detect_at(at)) {
    case Format::kNpy:
      return own_npy<T>(at.file, [&] { return std::make_unique<InputFile>(at.file); }, negative);
    case Format::kNpz:
      return load_npz<T>(at, negative);
    case Format::kTable:
      return load_table<T>(at.file, negative, header);
    case Format::kSvmlight:
      return own_sparse(at.file, read_svmlight<T>(at.file), negative);
    case Format::kCluto:
      return load_cluto<T>(at.file, negative);
    case Format::kBagOfWords:
      return load_bag_of_words<T>(at.file, negative);
    case Format::kTenX:
      return load_ten_x<T>(at.file, negative);
    case Format::kImages:
      return load_images<T>(at.file);
    case Format::kHdf5:
      return load_hdf5<T>(at, negative);
    case Format::kMatlab:
      return load_matlab<T>(at, negative);
    case Format::kContainer:
      return load_container<T>(at.file);
    case Format::kMatrixMarket:
      break;
  }
  if (matrix_market_is_dense(at.file))
    return own_dense<T>(at.file, read_matrix_market_array<T>(at.file), negative);
  return own_sparse(at.file, read_matrix_market<T>(at.file), negative);
}

/// Numbers below the range of float lose digits, then become zero, and a matrix of zeros is fitted without
/// error. Where nothing in M is within that range the file is read again, to see what it holds.
void check_underflow(const std::filesystem::path& path, Negative negative, Header header, double norm) {
  constexpr double kRounding = 1e-6;
  if (norm >= static_cast<double>(std::numeric_limits<float>::min())) return;
  const double true_norm = load_any<double>(path, negative, header).data->norm();
  if (std::abs(norm - true_norm) <= kRounding * true_norm) return;
  throw InvalidInput(fmt::format(
      "{}: the entries are too small for single precision, which begins at {:.2g}; their norm is {:.2g}. "
      "Use double precision (--precision float64), or multiply the matrix.",
      path.string(), std::numeric_limits<float>::min(), true_norm));
}

}  // namespace

template <class T>
LoadedMatrix<T> load(const std::filesystem::path& path, Negative negative, Header header) {
  LoadedMatrix<T> result = load_any<T>(path, negative, header);
  if constexpr (std::is_same_v<T, float>) check_underflow(path, negative, header, result.data->norm());
  return result;
}

template <class T>
Matrix<T> load_dense(const std::filesystem::path& path) {
  Matrix<T> matrix = read_dense<T>(split_location(path));
  naming_file(path, [&] { static_cast<void>(DenseData<T>(std::as_const(matrix).view())); });
  return matrix;
}

template LoadedMatrix<float> load<float>(const std::filesystem::path&, Negative, Header);
template LoadedMatrix<double> load<double>(const std::filesystem::path&, Negative, Header);
template Matrix<float> load_dense<float>(const std::filesystem::path&);
template Matrix<double> load_dense<double>(const std::filesystem::path&);

}  // namespace anmf::io
