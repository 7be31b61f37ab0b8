// SPDX-License-Identifier: MIT
// Any supported matrix file, recognised by its first bytes. The name only helps to word the error.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "anmf/error.h"
#include "anmf/io.h"
#include "io/gzip_stream.h"
#include "io/input_file.h"
#include "io/matrix_market_header.h"
#include "io/npy_header.h"

namespace anmf::io {

namespace {

enum class Format { kNpy, kMatrixMarket };

[[noreturn]] void fail_unknown(const std::filesystem::path& path, std::string_view start) {
  const std::string extension = path.extension().string();
  const std::string found =
      start.empty() ? "is empty" : fmt::format("begins with {}", in_quotes(start.substr(0, 16)));
  std::string hint;
  if (start.starts_with("PK\x03\x04")) {
    hint = " An archive such as .npz must be unpacked first.";
  } else if (extension == ".npy" || extension == ".mtx" || extension == ".gz") {
    hint = fmt::format(" The name ends in {}, but the content does not match it.", extension);
  }
  throw InvalidInput(
      fmt::format("{}: is not a supported matrix file: it {}, expected NumPy (.npy, 2-D) or Matrix Market "
                  "(.mtx or .mtx.gz).{}",
                  path.string(), found, hint));
}

Format detect(const std::filesystem::path& path) {
  LineReader reader(path);
  const std::string_view start = reader.peek();
  if (starts_as_matrix_market(start)) return Format::kMatrixMarket;
  if (!start.starts_with(kNpyMagic)) fail_unknown(path, start);
  if (reader.compressed()) {
    throw InvalidInput(
        fmt::format("{}: is a gzip file of a .npy file; it must be uncompressed first.", path.string()));
  }
  return Format::kNpy;
}

// The checks of the entries know nothing of files; the message should.
template <class Build>
auto naming_file(const std::filesystem::path& path, const Build& build) {
  try {
    return build();
  } catch (const InvalidInput& error) {
    throw InvalidInput(fmt::format("{}: {}", path.string(), error.what()));
  }
}

template <class T, class S>
LoadedMatrix<T> own_dense(Matrix<S> matrix) {
  const auto owned = std::make_shared<const Matrix<S>>(std::move(matrix));
  return {.entries = owned, .data = std::make_unique<DenseData<T>>(owned->view())};
}

template <class T>
LoadedMatrix<T> own_sparse(Triplets<T> triplets) {
  return {.entries = nullptr,
          .data = SparseData<T>::from_triplets(triplets.rows, triplets.cols, std::move(triplets.row_indices),
                                               std::move(triplets.col_indices), std::move(triplets.values))};
}

/// Keeps entries of a type narrower than T as they are.
template <class T>
LoadedMatrix<T> own_npy(const std::filesystem::path& path) {
  InputFile file(path);
  const NpyHeader header = read_npy_header(file, path);
  const auto own = [&](auto matrix) {
    return naming_file(path, [&] { return own_dense<T>(std::move(matrix)); });
  };
  if (header.kind == 'u' && header.item_bytes == 1) return own(read_npy<std::uint8_t>(path));
  if (header.kind == 'u' && header.item_bytes == 2) return own(read_npy<std::uint16_t>(path));
  if (header.kind == 'f' && header.item_bytes == 4) return own(read_npy<float>(path));
  return own(read_npy<T>(path));
}

}  // namespace

template <class T>
LoadedMatrix<T> load(const std::filesystem::path& path) {
  if (detect(path) == Format::kNpy) return own_npy<T>(path);
  if (matrix_market_is_dense(path)) {
    Matrix<T> matrix = read_matrix_market_array<T>(path);
    return naming_file(path, [&] { return own_dense<T>(std::move(matrix)); });
  }
  Triplets<T> triplets = read_matrix_market<T>(path);
  return naming_file(path, [&] { return own_sparse(std::move(triplets)); });
}

template <class T>
Matrix<T> load_dense(const std::filesystem::path& path) {
  const Format format = detect(path);
  if (format == Format::kMatrixMarket && !matrix_market_is_dense(path)) {
    throw InvalidInput(fmt::format("{}: holds a sparse matrix, expected a dense one (.npy).", path.string()));
  }
  Matrix<T> matrix = format == Format::kNpy ? read_npy<T>(path) : read_matrix_market_array<T>(path);
  naming_file(path, [&] { static_cast<void>(DenseData<T>(std::as_const(matrix).view())); });
  return matrix;
}

template LoadedMatrix<float> load<float>(const std::filesystem::path&);
template LoadedMatrix<double> load<double>(const std::filesystem::path&);
template Matrix<float> load_dense<float>(const std::filesystem::path&);
template Matrix<double> load_dense<double>(const std::filesystem::path&);

}  // namespace anmf::io
