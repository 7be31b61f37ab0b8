// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string_view>

#include "io/byte_source.h"
#include "io/input_file.h"

namespace anmf::io {

/// A file that is read at places, again and again, and must stay as it was when it was opened.
class SteadyFile {
 public:
  explicit SteadyFile(const std::filesystem::path& path);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::uint64_t bytes() const { return file_.bytes(); }
  /// From its beginning, as other readers want it; for headers.
  [[nodiscard]] ByteSource& from_start() { return file_; }
  /// Reads up to `count` bytes at `offset`; returns fewer only at the end.
  [[nodiscard]] std::size_t read(std::uint64_t offset, void* target, std::size_t count) const;
  /// Throws IoError if the file has another size or was written to since it was opened. `place` says in the
  /// message where that was noticed.
  void expect_unchanged(std::string_view place) const;

 private:
  struct State {
    std::int64_t bytes = 0;
    std::int64_t seconds = 0;  // when it was written to
    std::int64_t nanoseconds = 0;

    bool operator==(const State&) const = default;
  };
  [[nodiscard]] State state() const;

  std::filesystem::path path_;
  InputFile file_;
  int descriptor_;
  State opened_;
};

/// A stretch of a file as bytes in order.
class FileStretch final : public ByteSource {
 public:
  FileStretch(const SteadyFile& file, std::uint64_t offset, std::uint64_t bytes)
      : file_(file), offset_(offset), bytes_(bytes) {}

  [[nodiscard]] std::uint64_t bytes() const override { return bytes_; }
  [[nodiscard]] std::size_t read(void* target, std::size_t count) override {
    const std::size_t found = file_.read(offset_, target, count);
    offset_ += found;
    return found;
  }

 private:
  const SteadyFile& file_;
  std::uint64_t offset_;
  std::uint64_t bytes_;
};

}  // namespace anmf::io
