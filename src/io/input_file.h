// SPDX-License-Identifier: MIT
// What all readers share: an open file of known size, and the wording of messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "io/byte_source.h"

namespace anmf::io {

/// A file descriptor that closes itself.
class FileHandle {
 public:
  explicit FileHandle(int descriptor) : descriptor_(descriptor) {}
  FileHandle(FileHandle&& from) noexcept : descriptor_(from.release()) {}
  FileHandle(const FileHandle&) = delete;
  FileHandle& operator=(const FileHandle&) = delete;
  FileHandle& operator=(FileHandle&&) = delete;
  ~FileHandle();

  [[nodiscard]] int get() const { return descriptor_; }
  /// Gives the descriptor away; the caller closes it.
  [[nodiscard]] int release();

 private:
  int descriptor_;
};

/// A regular file open for reading. Anything else (a folder, a pipe) has no size to check headers
/// against and cannot be read twice, so it is refused with an IoError.
class InputFile final : public ByteSource {
 public:
  explicit InputFile(const std::filesystem::path& path);

  [[nodiscard]] std::uint64_t bytes() const override { return bytes_; }
  [[nodiscard]] FileHandle& handle() { return handle_; }
  [[nodiscard]] std::size_t read(void* target, std::size_t count) override;

 private:
  std::filesystem::path path_;
  FileHandle handle_;
  std::uint64_t bytes_ = 0;
};

/// "path: what failed: the system's reason."
[[noreturn]] void throw_io_error(const std::filesystem::path& path, std::string_view what, int error_number);

/// "1 entry", "2 entries".
[[nodiscard]] std::string counted(std::int64_t count, std::string_view noun);

/// A name out of a file as it may stand in a message: control characters, and what is not UTF-8, as \xNN.
[[nodiscard]] std::string printable(std::string_view text);

/// The text in quotes, shortened and with unprintable bytes as \xNN, fit for a message.
[[nodiscard]] std::string in_quotes(std::string_view text);

}  // namespace anmf::io
