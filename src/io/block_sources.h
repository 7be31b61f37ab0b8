// SPDX-License-Identifier: MIT
// The files that can be read in blocks, for open_blocks() to choose from.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "anmf/io.h"
#include "anmf/stream.h"
#include "io/location.h"

namespace anmf::io {

/// How a source is to be cut, and what becomes of negative entries.
struct BlockOptions {
  double most_bytes = 0;  ///< of a block in memory, where possible
  Reading reading;
};

/// Rows, or columns if these lie together; of all of the matrix or of a part.
template <class T>
[[nodiscard]] std::unique_ptr<BlockSource<T>> open_npy_blocks(const Location& at, const BlockOptions& options,
                                                              const std::optional<Part>& part = {});

/// Whether a .npy file does not come in blocks: it has three axes in Fortran order.
[[nodiscard]] bool npy_comes_whole(const Location& at);

/// The lines of a container.
template <class T>
[[nodiscard]] std::unique_ptr<BlockSource<T>> open_container_blocks(const std::filesystem::path& path,
                                                                    const BlockOptions& options);

/// The rows of a dataset or of CSR, or the columns of CSC.
template <class T>
[[nodiscard]] std::unique_ptr<BlockSource<T>> open_hdf5_blocks(const Location& at,
                                                               const BlockOptions& options);

/// Some lines of another source, and a part of each.
template <class T>
[[nodiscard]] std::unique_ptr<BlockSource<T>> part_of(std::unique_ptr<BlockSource<T>> source,
                                                      const Part& part);

}  // namespace anmf::io
