// SPDX-License-Identifier: MIT
// Parts of a matrix in a .npy file: only the bytes of the part are read.
#pragma once

#include <filesystem>
#include <optional>

#include "anmf/io.h"
#include "io/npy_header.h"

namespace anmf::mpi {

class NpyBlocks {
 public:
  /// Nothing if the file is not .npy, or its entries are of a type or a byte order that must be converted:
  /// io::load() reads those.
  [[nodiscard]] static std::optional<NpyBlocks> open(const std::filesystem::path& path);

  [[nodiscard]] Index rows() const { return header_.rows; }
  [[nodiscard]] Index cols() const { return header_.cols; }

  /// Throws IoError, and InvalidInput that names the first bad entry by its place in the whole matrix. The
  /// part has no data if it is empty.
  template <class T>
  [[nodiscard]] io::LoadedMatrix<T> read(RowRange rows, RowRange cols) const;

 private:
  template <class T, class Stored>
  [[nodiscard]] io::LoadedMatrix<T> read_as(RowRange rows, RowRange cols) const;

  std::filesystem::path path_;
  io::NpyHeader header_;
  Index first_byte_ = 0;  // of the entries
};

}  // namespace anmf::mpi
