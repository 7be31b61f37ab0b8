// SPDX-License-Identifier: MIT
// The parts of an HDF5 file that its library (1.10) believes without a look, so that one wrong bit makes it
// read beyond its memory or loop for ever: they are looked at here, before it gets to them. Names of any
// length are read here altogether, since their references into the file cannot be had from the library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/steady_file.h"

namespace anmf::io {

using ByteSpan = std::span<const unsigned char>;

/// Takes numbers from the front of some bytes, lowest byte first. Throws InvalidInput, which says that the
/// file `where` is damaged, if they are used up.
class Hdf5Cursor {
 public:
  Hdf5Cursor(ByteSpan bytes, std::string_view where) : rest_(bytes), where_(where) {}

  [[nodiscard]] std::uint64_t number(std::size_t bytes);
  [[nodiscard]] ByteSpan take(std::uint64_t bytes);
  void skip(std::uint64_t bytes) { static_cast<void>(take(bytes)); }
  [[nodiscard]] std::size_t left() const { return rest_.size(); }
  [[noreturn]] void fail(std::string_view what) const;

 private:
  ByteSpan rest_;
  std::string where_;
};

/// One of the messages of which the description of a group or dataset consists.
struct Hdf5Message {
  std::uint64_t type = 0;
  std::vector<unsigned char> body;
};

/// How a dataset is cut.
struct Hdf5ChunkLayout {
  std::optional<std::uint64_t> tree;   ///< where it is, if it is one of the older kind, without a checksum
  std::vector<std::uint64_t> lengths;  ///< of a chunk along each dimension, and the bytes of an entry
};

class Hdf5Bytes {
 public:
  explicit Hdf5Bytes(const std::filesystem::path& path);

  [[nodiscard]] std::uint64_t size() const { return file_.bytes(); }
  [[nodiscard]] std::size_t address_bytes() const { return address_bytes_; }
  [[nodiscard]] std::size_t length_bytes() const { return length_bytes_; }
  /// Bytes at an address, which is counted from where HDF5 begins in the file. Throws InvalidInput if they
  /// are not all in the file.
  [[nodiscard]] std::vector<unsigned char> read(std::uint64_t address, std::uint64_t count) const;
  /// The same, counted from the beginning of the file.
  [[nodiscard]] std::vector<unsigned char> read_at_offset(std::uint64_t offset, std::uint64_t count) const {
    return read(offset - base_, count);
  }
  [[nodiscard]] Hdf5Cursor cursor(ByteSpan bytes) const { return {bytes, file_.path().string()}; }

  /// The description at an address.
  [[nodiscard]] std::vector<Hdf5Message> messages(std::uint64_t address) const;
  /// Throws InvalidInput if the library cannot be trusted with the group or dataset that is described there.
  void check(std::uint64_t address) const;
  /// The same of the tree in which a dataset has its chunks; `filtered` if they are compressed or the like.
  void check_chunks(std::uint64_t address, bool filtered) const;
  /// The bytes of a dataset that are kept in its description; nothing if they are elsewhere.
  [[nodiscard]] std::optional<std::vector<unsigned char>> compact_data(std::uint64_t address) const;
  /// The bytes of an attribute. Throws InvalidInput if they are not in the description.
  [[nodiscard]] std::vector<unsigned char> attribute(std::uint64_t address, std::string_view name) const;

 private:
  [[noreturn]] void fail(std::string_view what) const;
  void find_start();
  [[nodiscard]] std::optional<Hdf5ChunkLayout> chunk_layout(ByteSpan message) const;
  void check_chunk_node(const Hdf5ChunkLayout& layout, std::uint64_t node, int level, bool filtered,
                        std::uint64_t& nodes) const;
  void check_names_of_group(ByteSpan message) const;
  [[nodiscard]] std::optional<std::vector<unsigned char>> attribute_data(ByteSpan message,
                                                                         std::string_view name) const;

  SteadyFile file_;
  std::uint64_t base_ = 0;
  std::size_t address_bytes_ = 8;
  std::size_t length_bytes_ = 8;
};

}  // namespace anmf::io
