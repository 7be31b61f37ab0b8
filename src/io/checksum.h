// SPDX-License-Identifier: MIT
#pragma once

#include <zlib.h>

#include <cstdint>
#include <string_view>

namespace anmf::io {

/// The CRC-32 of zip and PNG, of bytes that follow others of this checksum.
[[nodiscard]] inline std::uint32_t checksum(std::string_view bytes, std::uint32_t before = 0) {
  return static_cast<std::uint32_t>(
      crc32_z(before, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace anmf::io
