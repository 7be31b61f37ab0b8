// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

namespace anmf::io {

/// An element of a MATLAB file of version 5.
struct MatlabElement {
  std::uint64_t at = 0;     // where its tag begins in the file
  std::uint64_t bytes = 0;  // in the file, with the tag
  bool compressed = false;
  std::uint64_t content_bytes = 0;  // uncompressed, with the tag
  bool big_endian = false;
};

/// Walks through the elements of a file and throws InvalidInput if one is cut off or cannot be uncompressed.
[[nodiscard]] std::vector<MatlabElement> check_matlab_elements(const std::filesystem::path& path);

/// The uncompressed bytes of an element from its tag on, at most `most`.
[[nodiscard]] std::vector<unsigned char> read_matlab_element(const std::filesystem::path& path,
                                                             const MatlabElement& element,
                                                             std::uint64_t most);

}  // namespace anmf::io
