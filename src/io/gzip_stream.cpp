// SPDX-License-Identifier: MIT
#include "io/gzip_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <system_error>

#include "anmf/error.h"
#include "io/input_file.h"

namespace anmf::io {

std::size_t longest_line_bytes(const std::filesystem::path& path) {
  constexpr std::uintmax_t kLeast = std::uintmax_t{1} << 20;
  constexpr std::uintmax_t kMost = std::uintmax_t{1} << 28;
  constexpr std::uintmax_t kUsualCompression = 32;
  std::error_code error;
  const std::uintmax_t bytes = std::filesystem::file_size(path, error);
  if (error) return kLeast;  // the reader says why
  const bool compressed = path.extension() == ".gz";
  const std::uintmax_t text = compressed ? std::min(bytes, kMost) * kUsualCompression : bytes;
  return static_cast<std::size_t>(std::clamp(text + 1, kLeast, kMost));
}

LineReader::LineReader(const std::filesystem::path& path, std::size_t longest_line) : path_(path) {
  InputFile input(path);
  bytes_on_disk_ = input.bytes();
  file_.reset(gzdopen(input.handle().get(), "rb"));
  if (!file_) throw std::bad_alloc();
  static_cast<void>(input.handle().release());  // gzclose_r closes it from here on
  constexpr unsigned kCompressedBlock = 1U << 17;
  gzbuffer(file_.get(), kCompressedBlock);
  compressed_ = gzdirect(file_.get()) == 0;
  // One byte more than can come, so that the end shows itself; small files are many and need little.
  most_buffer_bytes_ = static_cast<std::size_t>(std::min<std::uint64_t>(longest_line, most_text_bytes() + 1));
  buffer_.resize(std::min(most_buffer_bytes_, kUsualBuffer));
  refill();
}

std::string_view LineReader::peek() const { return {buffer_.data() + begin_, end_ - begin_}; }

std::uint64_t LineReader::most_text_bytes() const {
  constexpr std::uint64_t kLargestDeflateRatio = 1032;
  return compressed_ ? (bytes_on_disk_ + 1) * kLargestDeflateRatio : bytes_on_disk_;
}

bool LineReader::next_after_refill() {
  while (!at_end_) {
    if (begin_ == 0 && end_ == buffer_.size()) {
      if (end_ < most_buffer_bytes_) {
        buffer_.resize(std::min(2 * end_, most_buffer_bytes_));
        continue;
      }
      fail_at(line_number_ + 1, fmt::format("the line is longer than {} bytes.", buffer_.size()));
    }
    refill();
    const char* start = buffer_.data() + begin_;
    if (const void* found = std::memchr(start, '\n', end_ - begin_)) {
      take(static_cast<std::size_t>(static_cast<const char*>(found) - start), 1);
      return true;
    }
  }
  if (begin_ == end_) return false;
  take(end_ - begin_, 0);
  return true;
}

void LineReader::refill() {
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  constexpr std::size_t kLargestRead = std::size_t{1} << 30;  // gzread counts in int
  const std::size_t wanted = std::min(buffer_.size() - end_, kLargestRead);
  const int got = gzread(file_.get(), buffer_.data() + end_, static_cast<unsigned>(wanted));
  // A file cut off in the middle of a gzip stream is a short read with an error, not a negative count.
  if (got < 0 || static_cast<std::size_t>(got) < wanted) {
    int error = Z_OK;
    gzerror(file_.get(), &error);
    if (error != Z_OK && error != Z_STREAM_END) throw_stream_error(error);
    at_end_ = true;
  }
  end_ += static_cast<std::size_t>(std::max(got, 0));
}

void LineReader::throw_stream_error(int error) const {
  if (error == Z_ERRNO) throw_io_error(path_, "cannot be read", errno);
  if (error == Z_MEM_ERROR) throw std::bad_alloc();
  const std::string_view reason =
      error == Z_BUF_ERROR ? "it ends in the middle (is it truncated?)" : "its contents are corrupt";
  throw InvalidInput(fmt::format("{}: the gzip file of {} bytes cannot be uncompressed: {}.", path_.string(),
                                 bytes_on_disk_, reason));
}

void LineReader::fail_at(Index line_number, std::string_view message) const {
  throw InvalidInput(fmt::format("{}, line {}: {}", path_.string(), line_number, message));
}

}  // namespace anmf::io
