// SPDX-License-Identifier: MIT
#include "io/checksum.h"

#include <cstddef>
#include <vector>

#include "anmf/files.h"
#include "io/input_file.h"

namespace anmf::io {

FileChecksum checksum_of(const std::filesystem::path& file) {
  InputFile input(file);
  std::vector<char> buffer(std::size_t{1} << 18U);
  FileChecksum result;
  while (const std::size_t count = input.read(buffer.data(), buffer.size())) {
    result.crc32 = checksum({buffer.data(), count}, result.crc32);
    result.bytes += count;
  }
  return result;
}

}  // namespace anmf::io
