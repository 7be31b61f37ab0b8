// SPDX-License-Identifier: MIT
// How large a matrix is, before its entries are read.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>

#include "anmf/io.h"
#include "anmf/matrix.h"
#include "io/gzip_stream.h"
#include "io/zip_archive.h"

namespace anmf::io {

struct StoredSizes {
  Index rows = 0;
  Index cols = 0;
  Index entries = 0;  ///< that are stored, zeros and repeated positions included
  bool sparse = false;
  std::size_t entry_bytes = 0;  ///< of a dense one in memory
};

/// What the beginning of a file tells, or for text without sizes the number of its lines: Matrix Market and
/// folders of 10x Genomics, .npz, tables, svmlight, CLUTO and bags of words, read as T. Nothing for the
/// others, and for sizes that the reader is going to refuse.
template <class T>
[[nodiscard]] std::optional<StoredSizes> stored_sizes(const std::filesystem::path& path,
                                                      Header header = Header::automatic);

// The parts of it that are with their readers.

[[nodiscard]] StoredSizes table_sizes(const std::filesystem::path& path, Header header);
/// Of one that scipy wrote.
[[nodiscard]] StoredSizes npz_sparse_sizes(const ZipArchive& archive, const std::filesystem::path& path);
/// There may be more columns: their number is the largest index.
[[nodiscard]] StoredSizes svmlight_sizes(const std::filesystem::path& path);
/// The line of sizes of CLUTO, the first one.
[[nodiscard]] StoredSizes read_cluto_sizes(LineReader& reader);
/// The three lines of sizes of a bag of words.
[[nodiscard]] StoredSizes read_bag_sizes(LineReader& reader);

}  // namespace anmf::io
