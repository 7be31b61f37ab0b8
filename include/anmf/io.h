// SPDX-License-Identifier: MIT
// Matrices in files. Every reader throws InvalidInput with the file, the line or byte, what was found
// and what was expected; a file that cannot be opened or written throws IoError.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "anmf/data.h"
#include "anmf/matrix.h"

namespace anmf::io {

/// Triplets as a sparse file holds them: 0-based positions, duplicates and zeros as they come.
template <class T>
struct Triplets {
  Index rows = 0;
  Index cols = 0;
  std::vector<std::uint32_t> row_indices;
  std::vector<std::uint32_t> col_indices;
  std::vector<T> values;
};

/// The entries of a dense matrix in the type in which they are stored; nothing if the matrix is not dense.
using DenseEntries = std::variant<std::monostate, ConstMatrixView<double>, ConstMatrixView<float>,
                                  ConstMatrixView<std::uint16_t>, ConstMatrixView<std::uint8_t>>;

/// A matrix read from a file, dense or sparse, with the Data that stands on it. Entries of a .npy file of
/// uint8, uint16 or, if T is double, float stay in that type.
template <class T>
struct LoadedMatrix {
  std::shared_ptr<const void> entries;  ///< owns the memory under `data` when the file is dense
  DenseEntries dense;                   ///< a view of it, row by row
  std::unique_ptr<Data<T>> data;
  std::vector<std::string> row_names;  ///< as many as rows, in UTF-8; empty if the file has none
  std::vector<std::string> col_names;  ///< the same of the columns
  Index image_height = 0;              ///< of the images in the columns; 0 if they are none
  Index image_width = 0;
};

/// A dense matrix with the names of its rows and columns, either of which may be missing.
template <class T>
struct Table {
  Matrix<T> matrix;
  std::vector<std::string> row_names;
  std::vector<std::string> col_names;
};

/// .npy of two dimensions, C or Fortran order, either byte order; bool, integers and floats of any size.
/// T is float or double; or uint8_t or uint16_t, for a file of that very type.
template <class T>
[[nodiscard]] Matrix<T> read_npy(const std::filesystem::path& path);

/// Writes a .npy of version 1.0, C order, aside and renames it into place.
template <class T>
void write_npy(const std::filesystem::path& path, ConstMatrixView<T> matrix);

/// A matrix of a NumPy .npz archive: that of the given key, or the only one if the key is empty.
template <class T>
[[nodiscard]] Matrix<T> read_npz(const std::filesystem::path& path, const std::string& key = {});

/// A sparse .npz as scipy.sparse.save_npz writes it: CSR, CSC or COO.
template <class T>
[[nodiscard]] Triplets<T> read_npz_sparse(const std::filesystem::path& path);

/// True if the first line of a Matrix Market file (plain or gzip) says `array`, false for `coordinate`.
[[nodiscard]] bool matrix_market_is_dense(const std::filesystem::path& path);

/// Matrix Market `coordinate`: real, integer or pattern; general or symmetric; plain or gzip.
template <class T>
[[nodiscard]] Triplets<T> read_matrix_market(const std::filesystem::path& path);

/// Matrix Market `array`: real or integer; general or symmetric; plain or gzip.
template <class T>
[[nodiscard]] Matrix<T> read_matrix_market_array(const std::filesystem::path& path);

/// Numbers in lines of text, plain or gzip, separated by tabs, commas, semicolons or blanks. The first line
/// holds names if one of its fields is no number, the first column if that of the next line is none.
template <class T>
[[nodiscard]] Table<T> read_table(const std::filesystem::path& path);

/// svmlight or libsvm, plain or gzip: labels are skipped. Indices begin with 1, or with 0 if one is 0.
template <class T>
[[nodiscard]] Triplets<T> read_svmlight(const std::filesystem::path& path);

/// A sparse matrix of CLUTO, plain or gzip.
template <class T>
[[nodiscard]] Triplets<T> read_cluto(const std::filesystem::path& path);

/// A bag of words of the UCI repository (docword.NAME.txt), plain or gzip: documents x words.
template <class T>
[[nodiscard]] Triplets<T> read_bag_of_words(const std::filesystem::path& path);

/// Reads any supported file or folder, found by content first and name second. "file::name" is one matrix of
/// a file that holds several.
template <class T>
[[nodiscard]] LoadedMatrix<T> load(const std::filesystem::path& path);

/// Reads any supported dense file. Throws InvalidInput for a sparse one and for an entry that is negative,
/// NaN or infinite.
template <class T>
[[nodiscard]] Matrix<T> load_dense(const std::filesystem::path& path);

/// Writes a file aside, syncs it and renames it, so that `path` is either whole or as it was before.
void write_atomically(const std::filesystem::path& path, const std::function<void(std::ostream&)>& write);

}  // namespace anmf::io
