// SPDX-License-Identifier: MIT
// Zip archives byte by byte, right or wrong, independent of the library that reads them.
#pragma once

#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace anmf::io_test {

struct ZipEntry {
  std::string name;
  std::string bytes;
  bool deflated = false;
  std::int64_t claimed_bytes = -1;     // what the archive says of the uncompressed size; -1 is the truth
  std::int64_t claimed_checksum = -1;  // the same of the checksum
  int claimed_method = -1;             // the same of the compression method
};

inline std::string little(std::uint64_t value, int bytes) {
  std::string result;
  for (int i = 0; i < bytes; ++i) result += static_cast<char>(value >> (8 * i) & 0xff);
  return result;
}

inline std::string deflated(std::string_view text) {
  z_stream stream{};
  deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string result(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  deflate(&stream, Z_FINISH);
  result.resize(stream.total_out);
  deflateEnd(&stream);
  return result;
}

inline std::string zip_archive(const std::vector<ZipEntry>& entries) {
  std::string files;
  std::string directory;
  for (const ZipEntry& entry : entries) {
    const std::string packed = entry.deflated ? deflated(entry.bytes) : entry.bytes;
    const auto* text = reinterpret_cast<const Bytef*>(entry.bytes.data());
    const std::uint64_t checksum = entry.claimed_checksum >= 0
                                       ? static_cast<std::uint64_t>(entry.claimed_checksum)
                                       : crc32(0, text, static_cast<uInt>(entry.bytes.size()));
    const std::uint64_t size =
        entry.claimed_bytes >= 0 ? static_cast<std::uint64_t>(entry.claimed_bytes) : entry.bytes.size();
    const int method = entry.claimed_method >= 0 ? entry.claimed_method : (entry.deflated ? 8 : 0);
    // Version, flags, method, time and date, checksum, sizes, lengths of the name and of extra fields.
    const std::string common = little(20, 2) + little(0, 2) + little(static_cast<std::uint64_t>(method), 2) +
                               little(0, 2) + little(33, 2) + little(checksum, 4) + little(packed.size(), 4) +
                               little(size, 4) + little(entry.name.size(), 2) + little(0, 2);
    directory += "PK\x01\x02" + little(20, 2) + common + little(0, 2) + little(0, 2) + little(0, 2) +
                 little(0, 4) + little(files.size(), 4) + entry.name;
    files += "PK\x03\x04" + common + entry.name + packed;
  }
  return files + directory + "PK\x05\x06" + little(0, 2) + little(0, 2) + little(entries.size(), 2) +
         little(entries.size(), 2) + little(directory.size(), 4) + little(files.size(), 4) + little(0, 2);
}

}  // namespace anmf::io_test
