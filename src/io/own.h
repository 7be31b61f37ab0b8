// SPDX-License-Identifier: MIT
// From what a reader returns to a LoadedMatrix.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include "anmf/error.h"
#include "anmf/io.h"
#include "anmf/weights.h"
#include "io/byte_source.h"
#include "io/input_file.h"
#include "io/npy_reader.h"

namespace anmf::io {

// The checks of the entries know nothing of files; the message should.
template <class Build>
auto naming_file(const std::filesystem::path& path, const Build& build) {
  try {
    return build();
  } catch (const NegativeEntry& error) {
    throw NegativeEntry(fmt::format("{}: {}", path.string(), error.what()));
  } catch (const MissingEntry& error) {
    throw MissingEntry(fmt::format("{}: {}", path.string(), error.what()));
  } catch (const InvalidInput& error) {
    throw InvalidInput(fmt::format("{}: {}", path.string(), error.what()));
  }
}

/// Sets negative numbers to zero and counts them. Minus infinity stays, for the checks to find.
template <class S>
Index clip_negative(std::span<S> values) {
  Index count = 0;
  if constexpr (std::is_signed_v<S>) {
    for (S& x : values) {
      if (x < S{0} && x >= std::numeric_limits<S>::lowest()) {
        x = S{0};
        ++count;
      }
    }
  }
  return count;
}

/// Places at which nothing was observed, if there are any.
template <class T>
void note_missing(LoadedMatrix<T>& matrix, Places places) {
  if (!places.indices.empty()) matrix.weights.entries = std::move(places);
}

template <class T, class S>
LoadedMatrix<T> own_dense(const std::filesystem::path& path, Matrix<S> matrix, const Reading& reading) {
  const Index clipped = reading.negative == Negative::clip ? clip_negative<S>(matrix.values()) : 0;
  LoadedMatrix<T> result;
  if constexpr (std::is_floating_point_v<S>) {
    if (reading.missing == Missing::nan) note_missing(result, take_missing(matrix.view()));
  }
  const auto owned = std::make_shared<const Matrix<S>>(std::move(matrix));
  result.clipped = clipped;
  result.entries = owned;
  result.dense = owned->view();
  result.data = naming_file(
      path, [&] { return std::make_unique<DenseData<T>>(owned->view(), Layout::row_major, reading.sign()); });
  return result;
}

/// A few bytes may claim thousands of millions of rows, each of which takes room although nothing is in it.
inline void check_sparse_sizes(const std::filesystem::path& path, Index rows, Index cols, Index entries) {
  constexpr Index kAlways = Index{1} << 18;
  constexpr Index kPerEntry = 100;
  const Index most = kAlways + kPerEntry * entries;
  if (rows <= most && cols <= most) return;
  throw InvalidInput(
      fmt::format("{}: the matrix is {} x {} with {}; one with so few may have at most {} rows and columns.",
                  path.string(), rows, cols, counted(entries, "entry"), most));
}

/// Takes the triplets away that are NaN, and says where they were.
template <class T>
Places take_missing(Triplets<T>& triplets);

template <class T>
LoadedMatrix<T> own_sparse(const std::filesystem::path& path, Triplets<T> triplets, const Reading& reading) {
  check_sparse_sizes(path, triplets.rows, triplets.cols, static_cast<Index>(triplets.values.size()));
  LoadedMatrix<T> result;
  if (reading.negative == Negative::clip) result.clipped = clip_negative<T>(triplets.values);
  if (reading.missing == Missing::nan) note_missing(result, take_missing(triplets));
  result.single_precision = triplets.single_precision;
  result.data = naming_file(path, [&] {
    return SparseData<T>::from_triplets(triplets.rows, triplets.cols, std::move(triplets.row_indices),
                                        std::move(triplets.col_indices), std::move(triplets.values),
                                        reading.missing == Missing::zeros ? Zeros::keep : Zeros::drop,
                                        reading.sign());
  });
  return result;
}

/// How much an entry of a .npy file takes once own_npy() has read it.
template <class T>
[[nodiscard]] std::size_t npy_entry_bytes(const NpyHeader& header) {
  const bool kept =
      (header.kind == 'u' && header.item_bytes <= 2) || (header.kind == 'f' && header.item_bytes == 4);
  return kept ? static_cast<std::size_t>(header.item_bytes) : sizeof(T);
}

template <class T>
[[nodiscard]] StoredSizes npy_sizes(const NpyHeader& header) {
  return {header.matrix.rows, header.matrix.cols, header.count, false, npy_entry_bytes<T>(header)};
}

/// Keeps entries of a type narrower than T as they are. `source` gives the data from their beginning.
template <class T>
LoadedMatrix<T> own_npy(const std::filesystem::path& name, ByteSource& source, Cube cube,
                        const Reading& reading) {
  const NpyHeader header = read_npy_header(source, name, cube);
  const auto as = [&]<class S>() {
    auto result = own_dense<T>(name, read_npy<S>(source, header, name), reading);
    result.images = header.matrix.images;
    return result;
  };
  if (header.kind == 'u' && header.item_bytes == 1) return as.template operator()<std::uint8_t>();
  if (header.kind == 'u' && header.item_bytes == 2) return as.template operator()<std::uint16_t>();
  if (header.kind == 'f' && header.item_bytes == 4) return as.template operator()<float>();
  return as.template operator()<T>();
}

}  // namespace anmf::io
