// SPDX-License-Identifier: MIT
// .npy data that need not be a file of their own.
#pragma once

#include <filesystem>
#include <functional>
#include <span>

#include "anmf/matrix.h"
#include "io/byte_source.h"
#include "io/npy_header.h"

namespace anmf::io {

/// A matrix, as read_npy(path) reads it from a file; `path` is for messages.
template <class T>
[[nodiscard]] Matrix<T> read_npy(ByteSource& file, const std::filesystem::path& path);

/// The same once the header has been read.
template <class T>
[[nodiscard]] Matrix<T> read_npy(ByteSource& file, const NpyHeader& header,
                                 const std::filesystem::path& path);

/// Reads the next `count` entries, the first of which is entry number `first` of the file, as T: float or
/// double, or the type of the file.
template <class T>
void read_npy_run(ByteSource& file, const NpyHeader& header, const std::filesystem::path& path, Index first,
                  Index count, T* target);

/// Visits the entries that follow the header as T (float, double, or Index for arrays of whole numbers),
/// block by block in the order of the file.
template <class T>
void read_npy_entries(ByteSource& file, const NpyHeader& header, const std::filesystem::path& path,
                      const std::function<void(std::span<const T>)>& visit);

/// Visits the lines that follow the header, rows of M or columns of it, block by block as T, which the
/// entries of the file must fit into: double, or their own type. The pixels must not be turned.
template <class T>
void read_npy_lines(ByteSource& file, const NpyHeader& header, const std::filesystem::path& path,
                    const std::function<void(ConstMatrixView<T>)>& visit);

}  // namespace anmf::io
