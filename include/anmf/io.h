// SPDX-License-Identifier: MIT
// Matrices in files. Every reader throws InvalidInput with the file, the line or byte, what was found
// and what was expected; a file that cannot be opened or written throws IoError.
#pragma once

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "anmf/data.h"
#include "anmf/matrix.h"

namespace anmf::io {

/// Triplets as a sparse file holds them: 0-based positions, duplicates and zeros as they come.
template <class T>
struct Triplets {
  Index rows = 0;
  Index cols = 0;
  std::vector<Index> row_indices;
  std::vector<Index> col_indices;
  std::vector<T> values;
};

/// A matrix read from a file, dense or sparse, with the Data that stands on it.
template <class T>
struct LoadedMatrix {
  std::unique_ptr<Matrix<T>> dense;  ///< owns the memory under `data` when the file is dense
  std::unique_ptr<Data<T>> data;
};

/// .npy of two dimensions, C or Fortran order, either byte order; bool, integers and floats of any size.
template <class T>
[[nodiscard]] Matrix<T> read_npy(const std::filesystem::path& path);

/// Writes a .npy of version 1.0, C order, aside and renames it into place.
template <class T>
void write_npy(const std::filesystem::path& path, ConstMatrixView<T> matrix);

/// True if the first line of a Matrix Market file (plain or gzip) says `array`, false for `coordinate`.
[[nodiscard]] bool matrix_market_is_dense(const std::filesystem::path& path);

/// Matrix Market `coordinate`: real, integer or pattern; general or symmetric; plain or gzip.
template <class T>
[[nodiscard]] Triplets<T> read_matrix_market(const std::filesystem::path& path);

/// Matrix Market `array`: real or integer; general or symmetric; plain or gzip.
template <class T>
[[nodiscard]] Matrix<T> read_matrix_market_array(const std::filesystem::path& path);

/// Reads any supported file, found by content first and name second.
template <class T>
[[nodiscard]] LoadedMatrix<T> load(const std::filesystem::path& path);

/// Writes a file aside, syncs it and renames it, so that `path` is either whole or as it was before.
void write_atomically(const std::filesystem::path& path, const std::function<void(std::ostream&)>& write);

}  // namespace anmf::io
