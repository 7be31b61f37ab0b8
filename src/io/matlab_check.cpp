// SPDX-License-Identifier: MIT
// A file of version 5 has 128 bytes of header, the last two of which tell the byte order, and then elements:
// 4 bytes of type, 4 of length, and the data. Type 15 is a zlib stream of another element that ends with a
// checksum.
#include "io/matlab_check.h"

#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <new>
#include <string>
#include <string_view>

#include "anmf/error.h"
#include "io/input_file.h"
#include "io/matlab_parts.h"

namespace anmf::io {

namespace {

constexpr std::size_t kHeaderBytes = 128;
constexpr std::uint32_t kCompressed = 15;
constexpr std::size_t kBlock = std::size_t{1} << 16;

class Inflation {
 public:
  Inflation() {
    if (inflateInit(&stream_) != Z_OK) throw std::bad_alloc();
  }
  Inflation(const Inflation&) = delete;
  Inflation& operator=(const Inflation&) = delete;
  ~Inflation() { inflateEnd(&stream_); }

  /// Calls take(bytes) with what the bytes uncompress to. False if they cannot be the next of the stream.
  template <class Take>
  bool feed(unsigned char* bytes, std::size_t count, const Take& take) {
    stream_.next_in = bytes;
    stream_.avail_in = static_cast<uInt>(count);
    while (stream_.avail_in > 0 && state_ == Z_OK) {
      stream_.next_out = output_.data();
      stream_.avail_out = static_cast<uInt>(output_.size());
      state_ = inflate(&stream_, Z_NO_FLUSH);
      take(Bytes(output_).first(output_.size() - stream_.avail_out));
    }
    return state_ == Z_OK || state_ == Z_STREAM_END;
  }
  [[nodiscard]] bool complete() const { return state_ == Z_STREAM_END; }

 private:
  z_stream stream_{};
  int state_ = Z_OK;
  std::vector<unsigned char> output_ = std::vector<unsigned char>(kBlock);
};

// Calls take(bytes) with the file's next `length` bytes, block by block, until it returns false.
template <class Take>
void for_each_block(InputFile& file, const std::filesystem::path& path, std::uint64_t length,
                    const Take& take) {
  std::vector<unsigned char> block(static_cast<std::size_t>(std::min<std::uint64_t>(length, kBlock)));
  for (std::uint64_t done = 0; done < length;) {
    const std::size_t count = static_cast<std::size_t>(std::min<std::uint64_t>(length - done, block.size()));
    if (file.read(block.data(), count) != count) {
      throw IoError(fmt::format("{}: the file shrank while it was read.", path.string()));
    }
    if (!take(block.data(), count)) return;
    done += count;
  }
}

}  // namespace

std::vector<MatlabElement> check_matlab_elements(const std::filesystem::path& path) {
  InputFile file(path);
  std::uint64_t at = 0;
  const auto fail = [&](std::string_view message) {
    throw InvalidInput(fmt::format("{}, byte {}: {}", path.string(), at, message));
  };
  std::array<unsigned char, kHeaderBytes> header{};
  if (file.read(header.data(), header.size()) != header.size()) {
    fail(fmt::format("the file ends within its header of {} bytes.", kHeaderBytes));
  }
  const bool big_endian = header[kHeaderBytes - 2] == 'M';
  std::vector<MatlabElement> elements;
  for (at = kHeaderBytes; at < file.bytes();) {
    std::array<unsigned char, kMatlabTagBytes> tag{};
    if (file.read(tag.data(), tag.size()) != tag.size()) fail("the file ends within the tag of an element.");
    const bool compressed = matlab_word(tag.data(), big_endian) == kCompressed;
    const std::uint64_t length = matlab_word(tag.data() + 4, big_endian);
    if (length > file.bytes() - at - kMatlabTagBytes) {
      fail(fmt::format("an element of {} bytes is promised, but only {} follow.", length,
                       file.bytes() - at - kMatlabTagBytes));
    }
    std::uint64_t content = compressed ? 0 : kMatlabTagBytes + length;
    Inflation inflation;
    for_each_block(file, path, length, [&](unsigned char* bytes, std::size_t count) {
      const auto add = [&](Bytes more) { content += more.size(); };
      if (compressed && !inflation.feed(bytes, count, add)) fail("the compressed element is damaged.");
      return true;
    });
    if (compressed && !inflation.complete()) fail("the compressed element ends too early.");
    elements.push_back({.at = at,
                        .bytes = kMatlabTagBytes + length,
                        .compressed = compressed,
                        .content_bytes = content,
                        .big_endian = big_endian});
    at += kMatlabTagBytes + length;
  }
  return elements;
}

std::vector<unsigned char> read_matlab_element(const std::filesystem::path& path,
                                               const MatlabElement& element, std::uint64_t most) {
  InputFile file(path);
  const std::uint64_t start = element.at + (element.compressed ? kMatlabTagBytes : 0);
  if (::lseek(file.handle().get(), static_cast<off_t>(start), SEEK_SET) < 0) {
    throw_io_error(path, "cannot be read", errno);
  }
  const auto wanted = static_cast<std::size_t>(std::min(most, element.content_bytes));
  std::vector<unsigned char> content;
  content.reserve(wanted);
  const auto add = [&](Bytes more) {
    const Bytes taken = more.first(std::min(more.size(), wanted - content.size()));
    content.insert(content.end(), taken.begin(), taken.end());
  };
  Inflation inflation;
  const std::uint64_t length = element.compressed ? element.bytes - kMatlabTagBytes : wanted;
  for_each_block(file, path, length, [&](unsigned char* bytes, std::size_t count) {
    if (element.compressed) {
      inflation.feed(bytes, count, add);
    } else {
      add({bytes, count});
    }
    return content.size() < wanted;
  });
  if (content.size() != wanted) {
    throw IoError(fmt::format("{}, byte {}: the file changed while it was read.", path.string(), element.at));
  }
  return content;
}

}  // namespace anmf::io
