// SPDX-License-Identifier: MIT
#pragma once

#include <zlib.h>

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace anmf::io {

/// The CRC-32 of zip and PNG, of bytes that follow others of this checksum.
[[nodiscard]] inline std::uint32_t checksum(std::string_view bytes, std::uint32_t before = 0) {
  return static_cast<std::uint32_t>(
      crc32_z(before, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

/// What a file is: its size, and the checksum of its bytes.
struct FileChecksum {
  std::uint64_t bytes = 0;
  std::uint32_t crc32 = 0;

  bool operator==(const FileChecksum&) const = default;
};

/// Reads the file. Throws IoError.
[[nodiscard]] FileChecksum checksum_of(const std::filesystem::path& file);

}  // namespace anmf::io
