// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

namespace anmf::io {

/// Bytes in order, their number known beforehand: a file, or one member of an archive.
class ByteSource {
 public:
  ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;
  virtual ~ByteSource() = default;

  [[nodiscard]] virtual std::uint64_t bytes() const = 0;
  /// Reads the next `count` bytes; returns fewer only at the end.
  [[nodiscard]] virtual std::size_t read(void* target, std::size_t count) = 0;
};

}  // namespace anmf::io
