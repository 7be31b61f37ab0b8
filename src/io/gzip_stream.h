// SPDX-License-Identifier: MIT
// Lines of a text file, plain or gzip alike.
#pragma once

#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string_view>
#include <vector>

#include "anmf/matrix.h"

namespace anmf::io {

/// The longest line of a file that may hold all of its numbers in one. Not more than 256 MiB, nor than a file
/// of this size can fill.
[[nodiscard]] std::size_t longest_line_bytes(const std::filesystem::path& path);

/// Reads a file line by line from a buffer that grows with the longest of them. A gzip file that ends early
/// or fails its checksum throws InvalidInput; it never looks like a shorter file.
class LineReader {
 public:
  /// A line longer than this is an error, so that a hostile file cannot make the buffer grow without end.
  explicit LineReader(const std::filesystem::path& path, std::size_t longest_line = kUsualBuffer);

  /// Moves to the next line; false at the end of the file.
  bool next() {
    const char* start = buffer_.data() + begin_;
    if (const void* found = std::memchr(start, '\n', end_ - begin_)) {
      take(static_cast<std::size_t>(static_cast<const char*>(found) - start), 1);
      return true;
    }
    return next_after_refill();
  }
  /// The current line without its end. Valid until next() is called.
  [[nodiscard]] std::string_view line() const { return line_; }
  /// The number of the current line; the first is 1.
  [[nodiscard]] Index line_number() const { return line_number_; }

  /// The first bytes of the text, before any call of next().
  [[nodiscard]] std::string_view peek() const;
  [[nodiscard]] bool compressed() const { return compressed_; }
  [[nodiscard]] std::uint64_t bytes_on_disk() const { return bytes_on_disk_; }
  /// More text than this cannot be in the file, whatever its header promises.
  [[nodiscard]] std::uint64_t most_text_bytes() const;

  /// Throws InvalidInput: "path, line N: message".
  [[noreturn]] void fail(std::string_view message) const { fail_at(line_number_, message); }
  [[noreturn]] void fail_at(Index line_number, std::string_view message) const;

 private:
  static constexpr std::size_t kUsualBuffer = std::size_t{1} << 20;

  struct Close {
    void operator()(gzFile file) const { gzclose_r(file); }
  };

  void take(std::size_t length, std::size_t end_length) {
    line_ = std::string_view(buffer_.data() + begin_, length);
    begin_ += length + end_length;
    ++line_number_;
  }
  bool next_after_refill();
  void refill();
  [[noreturn]] void throw_stream_error(int error) const;

  std::filesystem::path path_;
  std::unique_ptr<gzFile_s, Close> file_;
  std::vector<char> buffer_;
  std::size_t most_buffer_bytes_ = 0;
  std::size_t begin_ = 0;  // unread text is buffer_[begin_, end_)
  std::size_t end_ = 0;
  bool at_end_ = false;
  bool compressed_ = false;
  std::uint64_t bytes_on_disk_ = 0;
  std::string_view line_;
  Index line_number_ = 0;
};

}  // namespace anmf::io
