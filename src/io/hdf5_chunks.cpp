// SPDX-License-Identifier: MIT
#include "io/hdf5_chunks.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "anmf/error.h"
#include "io/hdf5_file.h"

namespace anmf::io {

namespace {

using ChunkBytes = std::vector<unsigned char>;

// At most `most` bytes; nothing if the stream is damaged or longer.
std::optional<ChunkBytes> inflated(ChunkBytes& bytes, std::size_t most) {
  ChunkBytes result(most + 1);
  auto size = static_cast<uLongf>(result.size());
  if (uncompress(result.data(), &size, bytes.data(), static_cast<uLong>(bytes.size())) != Z_OK || size > most)
    return std::nullopt;
  result.resize(size);
  return result;
}

// All first bytes of entries stand together, then all second ones; what is too short for an entry is last.
ChunkBytes unshuffled(const ChunkBytes& bytes, std::size_t entry_bytes) {
  ChunkBytes result = bytes;
  const std::size_t count = bytes.size() / entry_bytes;
  for (std::size_t k = 0; k < entry_bytes; ++k) {
    for (std::size_t i = 0; i < count; ++i) result[i * entry_bytes + k] = bytes[k * count + i];
  }
  return result;
}

}  // namespace

Hdf5Chunks::Hdf5Chunks(hid_t dataset, std::size_t entry_bytes, std::string where, std::size_t most)
    : dataset_(dataset), where_(std::move(where)), most_(most), bytes_(entry_bytes) {
  const Hdf5Handle plan(H5Dget_create_plist(dataset), H5Pclose);
  if (H5Pget_layout(plan.get()) != H5D_CHUNKED) return;
  std::array<hsize_t, H5S_MAX_RANK> lengths{};
  const int dimensions = H5Pget_chunk(plan.get(), static_cast<int>(lengths.size()), lengths.data());
  lengths_.assign(lengths.begin(), lengths.begin() + std::max(dimensions, 0));
  for (const hsize_t length : lengths_) {
    if (length == 0 || __builtin_mul_overflow(bytes_, length, &bytes_)) fail("has chunks of impossible size");
  }
  const int filters = H5Pget_nfilters(plan.get());
  for (int i = 0; i < filters; ++i) {
    unsigned flags = 0;
    std::array<unsigned, 8> values{};
    std::size_t count = values.size();
    unsigned config = 0;
    Filter filter;
    filter.id = H5Pget_filter2(plan.get(), static_cast<unsigned>(i), &flags, &count, values.data(), 0,
                               nullptr, &config);
    if (filter.id == H5Z_FILTER_SHUFFLE) filter.entry_bytes = std::max(1U, values[0]);
    filters_.push_back(filter);
  }
}

void Hdf5Chunks::fail(const std::string& what) const {
  throw InvalidInput(fmt::format("{}: the HDF5 file is damaged: the dataset {}.", where_, what));
}

std::optional<ChunkBytes> Hdf5Chunks::read(const std::vector<hsize_t>& begin) const {
  unsigned info_mask = 0;
  haddr_t address = HADDR_UNDEF;
  hsize_t stored = 0;
  const bool known = H5Dget_chunk_info_by_coord(dataset_, begin.data(), &info_mask, &address, &stored) >= 0;
  if (!known || address == HADDR_UNDEF || stored == 0) return ChunkBytes{};
  if (stored > most_) fail("has a chunk that is larger than the file");
  ChunkBytes bytes(stored);
  std::uint32_t skipped = 0;
  if (H5Dread_chunk(dataset_, H5P_DEFAULT, begin.data(), &skipped, bytes.data()) < 0)
    fail("has a chunk that cannot be read");
  for (std::size_t i = filters_.size(); i > 0; --i) {
    const Filter& filter = filters_[i - 1];
    if (i <= 32 && (skipped >> (i - 1) & 1U) != 0) continue;
    if (filter.id == H5Z_FILTER_FLETCHER32) {
      if (bytes.size() < 4) fail("has a chunk without its checksum");
      bytes.resize(bytes.size() - 4);
    } else if (filter.id == H5Z_FILTER_SHUFFLE) {
      bytes = unshuffled(bytes, filter.entry_bytes);
    } else if (filter.id == H5Z_FILTER_DEFLATE) {
      // Deflate does not shrink more than this.
      constexpr std::size_t kLargestRatio = 1032;
      const std::size_t most = bytes_ + 4 * filters_.size();
      if (bytes_ / kLargestRatio > bytes.size()) fail("has chunks of more bytes than are stored");
      auto content = inflated(bytes, most);
      if (!content) fail("has a chunk whose compression is damaged");
      bytes = *std::move(content);
    } else {
      return std::nullopt;
    }
  }
  if (bytes.size() != bytes_)
    fail(fmt::format("has a chunk of {} bytes, expected {} as all", bytes.size(), bytes_));
  return bytes;
}

void Hdf5Chunks::check_first() const {
  std::vector<hsize_t> begin(lengths_.size());
  unsigned skipped = 0;
  haddr_t address = 0;
  hsize_t bytes = 0;
  const Hdf5Handle space(H5Dget_space(dataset_), H5Sclose);
  if (H5Dget_chunk_info(dataset_, space.get(), 0, begin.data(), &skipped, &address, &bytes) < 0) return;
  if (address != HADDR_UNDEF) static_cast<void>(read(begin));
}

}  // namespace anmf::io
