// SPDX-License-Identifier: MIT
#include "io/hdf5_bytes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "anmf/error.h"
#include "io/hdf5.h"

namespace anmf::io {

namespace {

constexpr std::uint64_t kSpaceMessage = 0x01;
constexpr std::uint64_t kLayoutMessage = 0x08;
constexpr std::uint64_t kAttributeMessage = 0x0c;
constexpr std::uint64_t kContinuationMessage = 0x10;
constexpr std::uint64_t kSymbolTableMessage = 0x11;

enum LayoutClass : std::uint64_t { kCompact = 0, kContiguous = 1, kChunked = 2 };

bool starts_with(ByteSpan bytes, std::string_view text) {
  return bytes.size() >= text.size() &&
         std::equal(text.begin(), text.end(), bytes.begin(),
                    [](char a, unsigned char b) { return static_cast<unsigned char>(a) == b; });
}

[[noreturn]] void fail_damaged(std::string_view where, std::string_view what) {
  throw InvalidInput(fmt::format("{}: the HDF5 file is damaged: {}.", where, what));
}

// A stretch of messages in the file.
struct Stretch {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
};

constexpr std::uint64_t padded(std::uint64_t bytes) { return (bytes + 7) / 8 * 8; }

}  // namespace

std::uint64_t Hdf5Cursor::number(std::size_t bytes) {
  const ByteSpan taken = take(bytes);
  std::uint64_t value = 0;
  for (std::size_t i = std::min<std::size_t>(bytes, 8); i > 0; --i) value = value << 8U | taken[i - 1];
  return value;
}

ByteSpan Hdf5Cursor::take(std::uint64_t bytes) {
  if (bytes > rest_.size()) fail("a part of it ends too early");
  const ByteSpan taken = rest_.first(static_cast<std::size_t>(bytes));
  rest_ = rest_.subspan(static_cast<std::size_t>(bytes));
  return taken;
}

void Hdf5Cursor::fail(std::string_view what) const { fail_damaged(where_, what); }

Hdf5Bytes::Hdf5Bytes(const std::filesystem::path& path) : file_(path) { find_start(); }

void Hdf5Bytes::fail(std::string_view what) const { fail_damaged(file_.path().string(), what); }

std::vector<unsigned char> Hdf5Bytes::read(std::uint64_t address, std::uint64_t count) const {
  const std::uint64_t most = file_.bytes() - base_;
  if (address > most || count > most - address) {
    fail(fmt::format("{} bytes at {} lie beyond its end", count, address));
  }
  std::vector<unsigned char> bytes(static_cast<std::size_t>(count));
  if (file_.read(base_ + address, bytes.data(), bytes.size()) != bytes.size()) {
    throw IoError(fmt::format("{}: the file shrank while it was read.", file_.path().string()));
  }
  return bytes;
}

// Other programs may have put something before it, in 512 bytes or a power of two of them. What cannot be
// opened at all, the library says.
void Hdf5Bytes::find_start() {
  constexpr std::uint64_t kHead = 128;
  for (std::uint64_t at = 0; at + kHead <= file_.bytes(); at = at == 0 ? 512 : 2 * at) {
    std::array<unsigned char, kHead> head{};
    if (file_.read(at, head.data(), head.size()) != head.size()) return;
    if (!starts_with(head, kHdf5Magic)) continue;
    base_ = at;
    Hdf5Cursor cursor = this->cursor(head);
    cursor.skip(kHdf5Magic.size());
    const std::uint64_t version = cursor.number(1);
    if (version < 2) cursor.skip(4);  // versions of other parts
    address_bytes_ = cursor.number(1);
    length_bytes_ = cursor.number(1);
    if (version > 3 || address_bytes_ == 0 || length_bytes_ == 0) return;
    cursor.skip(version == 0 ? 9 : version == 1 ? 13 : 1);
    cursor.skip(2 * address_bytes_);
    const std::uint64_t end = cursor.number(address_bytes_);
    if (version < 2) cursor.skip(address_bytes_ + length_bytes_);
    const std::uint64_t root = cursor.number(address_bytes_);
    if (end <= file_.bytes() - base_) check(root);
    return;
  }
}

std::vector<Hdf5Message> Hdf5Bytes::messages(std::uint64_t address) const {
  constexpr std::string_view kNewHeader = "OHDR";
  constexpr std::string_view kNewContinuation = "OCHK";
  std::vector<unsigned char> head = read(address, 8);
  const bool newer = starts_with(head, kNewHeader);
  std::vector<Stretch> stretches;
  bool numbered = false;
  if (newer) {
    const unsigned flags = head[5];
    const std::size_t size_bytes = std::size_t{1} << (flags & 3U);
    const std::uint64_t before = 6U + ((flags & 0x20U) != 0 ? 16U : 0U) + ((flags & 0x10U) != 0 ? 4U : 0U);
    head = read(address + before, size_bytes);
    stretches.push_back({address + before + size_bytes, cursor(head).number(size_bytes)});
    numbered = (flags & 4U) != 0;
  } else {
    head = read(address + 8, 8);
    stretches.push_back({address + 16, cursor(head).number(4)});
  }
  std::vector<Hdf5Message> result;
  constexpr std::size_t kMostStretches = 1 << 12;
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    if (i == kMostStretches) fail("a description in it has no end");
    const std::vector<unsigned char> bytes = read(stretches[i].address, stretches[i].bytes);
    Hdf5Cursor cursor = this->cursor(bytes);
    const std::size_t head_bytes = newer ? (numbered ? 6 : 4) : 8;
    while (cursor.left() >= head_bytes) {
      Hdf5Message message;
      message.type = cursor.number(newer ? 1 : 2);
      const std::uint64_t count = cursor.number(2);
      cursor.skip(head_bytes - (newer ? 3 : 4));
      const ByteSpan body = cursor.take(count);
      message.body.assign(body.begin(), body.end());
      if (message.type == kContinuationMessage) {
        Hdf5Cursor next = this->cursor(message.body);
        Stretch stretch{.address = next.number(address_bytes_), .bytes = next.number(length_bytes_)};
        if (newer) {  // which have a name before and a checksum behind the messages
          stretch.address += kNewContinuation.size();
          stretch.bytes -= std::min<std::uint64_t>(stretch.bytes, kNewContinuation.size() + 4);
        }
        stretches.push_back(stretch);
      }
      result.push_back(std::move(message));
    }
  }
  return result;
}

void Hdf5Bytes::check(std::uint64_t address) const {
  std::optional<std::uint64_t> dimensions;
  std::optional<Hdf5ChunkLayout> layout;
  for (const Hdf5Message& message : messages(address)) {
    if (message.type == kSpaceMessage && message.body.size() > 1) dimensions = message.body[1];
    if (message.type == kLayoutMessage) layout = chunk_layout(message.body);
    if (message.type == kSymbolTableMessage) check_names_of_group(message.body);
  }
  if (!layout) return;
  // The library divides by the lengths.
  for (const std::uint64_t length : layout->lengths) {
    if (length == 0) fail("a dataset is cut into chunks of no length");
  }
  if (layout->lengths.size() < 2 || (dimensions && layout->lengths.size() != *dimensions + 1))
    fail("a dataset has chunks of another number of dimensions");
}

std::optional<Hdf5ChunkLayout> Hdf5Bytes::chunk_layout(ByteSpan message) const {
  Hdf5Cursor cursor = this->cursor(message);
  const std::uint64_t version = cursor.number(1);
  Hdf5ChunkLayout result;
  std::uint64_t dimensions = 0;
  std::size_t bytes = 4;
  if (version < 3) {
    dimensions = cursor.number(1);
    if (cursor.number(1) != kChunked) return std::nullopt;
    cursor.skip(5);
  } else {
    const std::uint64_t kind = cursor.number(1);
    if (version == 3 && kind > kChunked) fail("a dataset is laid out in no known way");
    if (kind != kChunked) return std::nullopt;
    if (version > 3) cursor.skip(1);
    dimensions = cursor.number(1);
    if (version > 3) bytes = cursor.number(1);
  }
  if (version <= 3) result.tree = cursor.number(address_bytes_);
  for (std::uint64_t i = 0; i < dimensions; ++i) result.lengths.push_back(cursor.number(bytes));
  return result;
}

void Hdf5Bytes::check_chunks(std::uint64_t address, bool filtered) const {
  for (const Hdf5Message& message : messages(address)) {
    if (message.type != kLayoutMessage) continue;
    const std::optional<Hdf5ChunkLayout> layout = chunk_layout(message.body);
    if (!layout || !layout->tree || *layout->tree >= file_.bytes()) return;  // none was written
    std::uint64_t nodes = 0;
    constexpr int kMostLevels = 64;
    check_chunk_node(*layout, *layout->tree, kMostLevels, filtered, nodes);
  }
}

// The library reads as many bytes as the tree says into the room for a chunk.
void Hdf5Bytes::check_chunk_node(const Hdf5ChunkLayout& layout, std::uint64_t node, int level, bool filtered,
                                 std::uint64_t& nodes) const {
  const std::size_t head_bytes = 8 + 2 * address_bytes_;
  const std::vector<unsigned char> head = read(node, head_bytes);
  Hdf5Cursor cursor = this->cursor(head);
  const bool is_node = starts_with(cursor.take(4), "TREE");
  const std::uint64_t type = cursor.number(1);
  const auto depth = static_cast<int>(cursor.number(1));
  const std::uint64_t count = cursor.number(2);
  if (!is_node || type != 1 || depth >= level || ++nodes > file_.bytes() / head_bytes)
    fail("a tree of chunks has something else among its nodes");
  std::uint64_t chunk_bytes = 1;
  for (const std::uint64_t length : layout.lengths) {
    if (__builtin_mul_overflow(chunk_bytes, length, &chunk_bytes))
      fail("a dataset has chunks of impossible size");
  }
  const std::uint64_t entry_bytes = 8 + 8 * layout.lengths.size() + address_bytes_;
  const std::vector<unsigned char> entries = read(node + head_bytes, count * entry_bytes);
  Hdf5Cursor entry = this->cursor(entries);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t bytes = entry.number(4);
    entry.skip(4);
    for (const std::uint64_t length : layout.lengths) {
      if (entry.number(8) % length != 0) fail("a chunk begins within another one");
    }
    const std::uint64_t child = entry.number(address_bytes_);
    if (depth > 0) {
      check_chunk_node(layout, child, depth, filtered, nodes);
    } else if (bytes > file_.bytes() || (!filtered && bytes != chunk_bytes)) {
      fail(fmt::format("a chunk has {} bytes, expected {}", bytes, chunk_bytes));
    }
  }
}

// The names of a group are in a heap whose free places form a chain, which the library follows to its end.
void Hdf5Bytes::check_names_of_group(ByteSpan message) const {
  Hdf5Cursor cursor = this->cursor(message);
  cursor.skip(address_bytes_);
  const std::vector<unsigned char> head =
      read(cursor.number(address_bytes_), 8 + 2 * length_bytes_ + address_bytes_);
  Hdf5Cursor heap = this->cursor(head);
  heap.skip(8);
  const std::uint64_t bytes = heap.number(length_bytes_);
  std::uint64_t place = heap.number(length_bytes_);
  const std::uint64_t start = heap.number(address_bytes_);
  const std::uint64_t link_bytes = 2 * length_bytes_;
  const std::uint64_t most_links = std::min(bytes, file_.bytes()) / link_bytes;
  constexpr std::uint64_t kEnd = 1;
  for (std::uint64_t i = 0; place != kEnd && place < bytes; ++i) {
    if (i > most_links || bytes - place < link_bytes)
      fail("the free places among the names of a group form no chain");
    const std::vector<unsigned char> link = read(start + place, link_bytes);
    place = this->cursor(link).number(length_bytes_);
  }
}

std::optional<std::vector<unsigned char>> Hdf5Bytes::compact_data(std::uint64_t address) const {
  for (const Hdf5Message& message : messages(address)) {
    if (message.type != kLayoutMessage) continue;
    Hdf5Cursor cursor = this->cursor(message.body);
    const std::uint64_t version = cursor.number(1);
    if (version < 3 || cursor.number(1) != kCompact) return std::nullopt;
    const ByteSpan data = cursor.take(cursor.number(2));
    return std::vector<unsigned char>(data.begin(), data.end());
  }
  return std::nullopt;
}

std::vector<unsigned char> Hdf5Bytes::attribute(std::uint64_t address, std::string_view name) const {
  for (const Hdf5Message& message : messages(address)) {
    if (message.type != kAttributeMessage) continue;
    if (auto data = attribute_data(message.body, name)) return *std::move(data);
  }
  throw InvalidInput(fmt::format(
      "{}: the attribute '{}' is not kept with what it is attached to; more than eight attributes in the "
      "newest kind of HDF5 file are not read.",
      file_.path().string(), name));
}

std::optional<std::vector<unsigned char>> Hdf5Bytes::attribute_data(ByteSpan message,
                                                                    std::string_view name) const {
  Hdf5Cursor cursor = this->cursor(message);
  const std::uint64_t version = cursor.number(1);
  cursor.skip(1);
  const std::uint64_t name_bytes = cursor.number(2);
  const std::uint64_t type_bytes = cursor.number(2);
  const std::uint64_t space_bytes = cursor.number(2);
  if (version >= 3) cursor.skip(1);
  const auto stored = [&](std::uint64_t bytes) { return version == 1 ? padded(bytes) : bytes; };
  const ByteSpan stored_name = cursor.take(stored(name_bytes));
  if (!starts_with(stored_name, name) || stored_name.size() <= name.size() || stored_name[name.size()] != 0)
    return std::nullopt;
  cursor.skip(stored(type_bytes) + stored(space_bytes));
  const ByteSpan data = cursor.take(cursor.left());
  return std::vector<unsigned char>(data.begin(), data.end());
}

}  // namespace anmf::io
