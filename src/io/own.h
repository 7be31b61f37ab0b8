// SPDX-License-Identifier: MIT
// From what a reader returns to a LoadedMatrix.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <utility>

#include "anmf/error.h"
#include "anmf/io.h"
#include "io/byte_source.h"
#include "io/npy_reader.h"

namespace anmf::io {

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
LoadedMatrix<T> own_dense(const std::filesystem::path& path, Matrix<S> matrix) {
  const auto owned = std::make_shared<const Matrix<S>>(std::move(matrix));
  LoadedMatrix<T> result;
  result.entries = owned;
  result.dense = owned->view();
  result.data = naming_file(path, [&] { return std::make_unique<DenseData<T>>(owned->view()); });
  return result;
}

template <class T>
LoadedMatrix<T> own_sparse(const std::filesystem::path& path, Triplets<T> triplets) {
  LoadedMatrix<T> result;
  result.data = naming_file(path, [&] {
    return SparseData<T>::from_triplets(triplets.rows, triplets.cols, std::move(triplets.row_indices),
                                        std::move(triplets.col_indices), std::move(triplets.values));
  });
  return result;
}

/// Keeps entries of a type narrower than T as they are. `open` gives the data from their beginning.
template <class T, class Open>
LoadedMatrix<T> own_npy(const std::filesystem::path& name, const Open& open) {
  const std::unique_ptr<ByteSource> first_look = open();
  const NpyHeader header = read_npy_header(*first_look, name);
  const std::unique_ptr<ByteSource> source = open();
  if (header.kind == 'u' && header.item_bytes == 1) {
    return own_dense<T>(name, read_npy<std::uint8_t>(*source, name));
  }
  if (header.kind == 'u' && header.item_bytes == 2) {
    return own_dense<T>(name, read_npy<std::uint16_t>(*source, name));
  }
  if (header.kind == 'f' && header.item_bytes == 4) return own_dense<T>(name, read_npy<float>(*source, name));
  return own_dense<T>(name, read_npy<T>(*source, name));
}

}  // namespace anmf::io
