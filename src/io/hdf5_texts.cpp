// SPDX-License-Identifier: MIT
// Texts of fixed length stand in their dataset. Those of any length are references there: the length, and an
// object of a heap, the bytes of which are anywhere in the file. Each heap is a list of objects, with a
// number, a size and the bytes.
#include "io/hdf5_texts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "anmf/error.h"
#include "io/hdf5_chunks.h"
#include "io/input_file.h"
#include "io/text_fields.h"

namespace anmf::io {

namespace {

constexpr std::string_view kDamagedNames = "the names cannot be read; they are damaged";

std::size_t reference_bytes(const Hdf5Bytes& file) { return 4 + file.address_bytes() + 4; }

std::string up_to_zero(ByteSpan bytes) { return {bytes.begin(), std::find(bytes.begin(), bytes.end(), 0)}; }

/// The objects of the heap that was used last; texts that were written together are in the same.
class TextHeap {
 public:
  explicit TextHeap(const Hdf5Bytes& file) : file_(file) {}

  /// Nothing if there is no such object.
  [[nodiscard]] std::optional<ByteSpan> object(std::uint64_t address, std::uint64_t number) {
    if (address_ != address) load(address);
    const auto found = objects_.find(number);
    if (found == objects_.end()) return std::nullopt;
    return found->second;
  }

 private:
  void load(std::uint64_t address) {
    address_.reset();
    objects_.clear();
    const std::size_t head_bytes = 8 + file_.length_bytes();
    bytes_ = file_.read(address, head_bytes);
    Hdf5Cursor head = file_.cursor(bytes_);
    const ByteSpan name = head.take(4);
    head.skip(4);
    const std::uint64_t size = head.number(file_.length_bytes());
    if (std::string(name.begin(), name.end()) != "GCOL") head.fail("a name lies outside of the heaps");
    bytes_ = file_.read(address, size);
    Hdf5Cursor cursor = file_.cursor(bytes_);
    cursor.skip(padded(head_bytes));
    while (cursor.left() >= head_bytes) {
      const std::uint64_t number = cursor.number(2);
      cursor.skip(6);
      const std::uint64_t bytes = cursor.number(file_.length_bytes());
      if (number == 0) break;  // what follows is free
      const ByteSpan content = cursor.take(bytes);
      cursor.skip(std::min<std::uint64_t>(padded(bytes) - bytes, cursor.left()));
      objects_.emplace(number, content);
    }
    address_ = address;
  }
  static std::uint64_t padded(std::uint64_t bytes) { return (bytes + 7) / 8 * 8; }

  const Hdf5Bytes& file_;
  std::optional<std::uint64_t> address_;
  std::vector<unsigned char> bytes_;
  std::unordered_map<std::uint64_t, ByteSpan> objects_;
};

/// The bytes of the references of a list, in order.
std::vector<unsigned char> read_references(const Hdf5File& file, const std::string& place, hid_t dataset,
                                           std::size_t count) {
  const Hdf5Bytes& bytes = file.bytes();
  const std::size_t each = reference_bytes(bytes);
  if (auto compact = bytes.compact_data(file.address(place))) return *std::move(compact);
  std::vector<unsigned char> result;
  const Hdf5Chunks chunks(dataset, each, file.where(place), bytes.size());
  if (!chunks.any()) {
    const haddr_t offset = H5Dget_offset(dataset);
    if (offset != HADDR_UNDEF) result = bytes.read_at_offset(offset, count * each);
    result.resize(count * each);
    return result;
  }
  if (chunks.lengths().size() != 1)
    throw InvalidInput(fmt::format("{}: {}.", file.where(place), kDamagedNames));
  const hsize_t length = chunks.lengths()[0];
  for (std::vector<hsize_t> begin = {0}; begin[0] < count; begin[0] += length) {
    auto chunk = chunks.read(begin);
    if (!chunk) {
      throw InvalidInput(fmt::format(
          "{}: names that are compressed by another filter than deflate are not read.", file.where(place)));
    }
    const auto now = static_cast<std::size_t>(std::min<hsize_t>(length, count - begin[0]));
    chunk->resize(now * each);  // of zeros if it was never written
    result.insert(result.end(), chunk->begin(), chunk->end());
  }
  return result;
}

std::vector<std::string> read_fixed_texts(const Hdf5File& file, const std::string& place, hid_t dataset,
                                          hid_t type, std::size_t count) {
  const std::size_t size = H5Tget_size(type);
  const hsize_t stored = H5Dget_storage_size(dataset);
  if (size != 0 && count > stored * 1032 / size + 1) {
    throw InvalidInput(fmt::format("{}: {} names of {} bytes are more than the file stores.",
                                   file.where(place), count, size));
  }
  check_hdf5_storage(file, place, dataset, size, count * size);
  std::vector<unsigned char> bytes(count * size);
  if (H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()) < 0)
    throw InvalidInput(fmt::format("{}: {}.", file.where(place), kDamagedNames));
  std::vector<std::string> result;
  result.reserve(count);
  for (std::size_t i = 0; i < count; ++i)
    result.push_back(up_to_zero(ByteSpan(bytes).subspan(i * size, size)));
  return result;
}

}  // namespace

std::vector<std::string> follow_references(const Hdf5Bytes& file, ByteSpan references, std::size_t count,
                                           const std::string& where) {
  Hdf5Cursor cursor(references, where);
  TextHeap heap(file);
  std::vector<std::string> result;
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t length = cursor.number(4);
    const std::uint64_t address = cursor.number(file.address_bytes());
    const std::uint64_t number = cursor.number(4);
    if (length == 0 || address == 0) {
      result.emplace_back();
      continue;
    }
    const std::optional<ByteSpan> object = heap.object(address, number);
    total += length;  // every text has its own bytes, so that all of them fit into the file
    if (!object || length > object->size() || total > file.size()) {
      cursor.fail(fmt::format("text {}, counted from 0, has {} bytes in a place where there are not as many",
                              i, length));
    }
    result.push_back(up_to_zero(object->first(static_cast<std::size_t>(length))));
  }
  return result;
}

std::vector<std::string> read_hdf5_texts(const Hdf5File& file, const std::string& place, Index expected) {
  if (!file.has_dataset(place)) return {};
  const Hdf5Handle dataset = file.open_dataset(place);
  const Hdf5Handle type(H5Dget_type(dataset.get()), H5Tclose);
  if (!dataset.ok() || H5Tget_class(type.get()) != H5T_STRING) return {};
  const std::vector<Index> shape = file.shape(place);
  if (shape.size() != 1 || shape[0] != expected) {
    const std::string found =
        shape.size() == 1 ? counted(shape[0], "name") : fmt::format("({}) names", fmt::join(shape, " x "));
    throw InvalidInput(fmt::format("{}: {} found, expected {}.", file.where(place), found, expected));
  }
  const auto count = static_cast<std::size_t>(expected);
  std::vector<std::string> result;
  if (H5Tis_variable_str(type.get()) > 0) {
    // Where nothing was written, a small file may promise any number of empty texts.
    if (count > file.bytes().size() * 1032)
      throw InvalidInput(
          fmt::format("{}: {} names are more than the file stores.", file.where(place), count));
    const std::vector<unsigned char> references = read_references(file, place, dataset.get(), count);
    result = follow_references(file.bytes(), references, count, file.where(place));
  } else {
    result = read_fixed_texts(file, place, dataset.get(), type.get(), count);
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (!is_utf8(result[i])) {
      throw InvalidInput(fmt::format("{}: name {}, counted from 0, is {}, which is not UTF-8.",
                                     file.where(place), i, in_quotes(result[i])));
    }
  }
  return result;
}

}  // namespace anmf::io
