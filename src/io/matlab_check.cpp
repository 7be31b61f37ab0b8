// SPDX-License-Identifier: MIT
// A file of version 5 has 128 bytes of header, the last two of which tell the byte order, and then elements:
// 4 bytes of type, 4 of length, and the data. Type 15 is a zlib stream that ends with a checksum.
#include "io/matlab_check.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "anmf/error.h"
#include "io/input_file.h"

namespace anmf::io {

namespace {

constexpr std::size_t kHeaderBytes = 128;
constexpr std::size_t kTagBytes = 8;
constexpr std::uint32_t kCompressed = 15;
constexpr std::size_t kBlock = std::size_t{1} << 16;

std::uint32_t number(const unsigned char* bytes, bool big_endian) {
  std::uint32_t value = 0;
  for (int i = 0; i < 4; ++i) value = value << 8 | bytes[big_endian ? i : 3 - i];
  return value;
}

// Uncompresses into nowhere.
class Inflation {
 public:
  Inflation() : output_(kBlock) {
    if (inflateInit(&stream_) != Z_OK) throw std::bad_alloc();
  }
  Inflation(const Inflation&) = delete;
  Inflation& operator=(const Inflation&) = delete;
  ~Inflation() { inflateEnd(&stream_); }

  /// False if the bytes cannot be the next of the stream.
  bool feed(unsigned char* bytes, std::size_t count) {
    stream_.next_in = bytes;
    stream_.avail_in = static_cast<uInt>(count);
    while (stream_.avail_in > 0 && state_ == Z_OK) {
      stream_.next_out = output_.data();
      stream_.avail_out = static_cast<uInt>(output_.size());
      state_ = inflate(&stream_, Z_NO_FLUSH);
    }
    return state_ == Z_OK || state_ == Z_STREAM_END;
  }
  [[nodiscard]] bool complete() const { return state_ == Z_STREAM_END; }

 private:
  z_stream stream_{};
  int state_ = Z_OK;
  std::vector<unsigned char> output_;
};

}  // namespace

void check_matlab_elements(const std::filesystem::path& path) {
  InputFile file(path);
  std::uint64_t at = 0;
  const auto fail = [&](std::string_view message) {
    throw InvalidInput(fmt::format("{}, byte {}: {}", path.string(), at, message));
  };
  std::array<unsigned char, kHeaderBytes> header{};
  if (file.read(header.data(), header.size()) != header.size()) fail("the file ends within its header.");
  const bool big_endian = header[kHeaderBytes - 2] == 'M';
  std::vector<unsigned char> block(kBlock);
  for (at = kHeaderBytes; at < file.bytes();) {
    std::array<unsigned char, kTagBytes> tag{};
    if (file.read(tag.data(), tag.size()) != tag.size()) fail("the file ends within the tag of an element.");
    const bool compressed = number(tag.data(), big_endian) == kCompressed;
    const std::uint64_t length = number(tag.data() + 4, big_endian);
    if (length > file.bytes() - at - kTagBytes) {
      fail(fmt::format("an element of {} bytes is promised, but only {} follow.", length,
                       file.bytes() - at - kTagBytes));
    }
    Inflation inflation;
    for (std::uint64_t done = 0; done < length;) {
      const std::size_t count =
          static_cast<std::size_t>(std::min<std::uint64_t>(length - done, block.size()));
      if (file.read(block.data(), count) != count) fail("the file shrank while it was read.");
      if (compressed && !inflation.feed(block.data(), count)) fail("the compressed element is damaged.");
      done += count;
    }
    if (compressed && !inflation.complete()) fail("the compressed element ends too early.");
    at += kTagBytes + length;
  }
}

}  // namespace anmf::io
