// SPDX-License-Identifier: MIT
// The header of a .npy file: 6 magic bytes, 2 of version, the length of the rest, and a Python dict such
// as {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), } in text.
// The format: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "anmf/matrix.h"
#include "io/byte_source.h"
#include "io/cube.h"

namespace anmf::io {

inline constexpr std::string_view kNpyMagic = "\x93NUMPY";

struct NpyHeader {
  std::string descr;     // as the file has it, for messages
  char kind = 'f';       // b, i, u or f
  int item_bytes = 8;    // 1, 2, 4 or 8
  bool swapped = false;  // the bytes stand in the order that this machine does not use
  std::vector<Index> shape;
  std::uint64_t offset = 0;  // of the first entry
  Index count = 0;           // of all entries
  Unfolded matrix;           // that the array is
};

/// Reads the header and leaves the file at the first entry. Throws InvalidInput unless it describes a
/// matrix of supported numbers whose entries fill the rest of the file exactly; or, if the caller knows what
/// to do with them, an array of three axes.
[[nodiscard]] NpyHeader read_npy_header(ByteSource& file, const std::filesystem::path& path,
                                        std::optional<Cube> cube = {});

/// The same for an array of any number of dimensions, of which no matrix is made.
[[nodiscard]] NpyHeader read_npy_array_header(ByteSource& file, const std::filesystem::path& path);

/// Reads a single text (an array without dimensions, dtype S or U), which must be ASCII.
[[nodiscard]] std::string read_npy_text(ByteSource& file, const std::filesystem::path& path);

/// The bytes of a version 1.0 header in C order, up to the first entry.
[[nodiscard]] std::string npy_header(std::string_view descr, Index rows, Index cols);
/// The same for any shape, as Python writes it: "(3,)" is a list of three, "()" a single value.
[[nodiscard]] std::string npy_header(std::string_view descr, std::string_view shape);

}  // namespace anmf::io
