// SPDX-License-Identifier: MIT
// The bytes are a container. Checksums would refuse nearly all of them, so those that the end holds are made
// right first, and that of the first block.
#include <array>
#include <cstring>

#include "fuzz_checks.h"
#include "io/checksum.h"
#include "io/container_format.h"

using namespace anmf;
using namespace anmf::io_fuzz;

namespace {

void put(std::string& bytes, std::size_t at, std::uint32_t sum) {
  std::string raw;
  io::append_little_endian(raw, sum);
  bytes.replace(at, raw.size(), raw);
}

/// As far as the sizes that the end promises allow it.
void mend(std::string& bytes) {
  constexpr std::size_t kStart = io::kContainerStartBytes;
  constexpr std::size_t kEnd = io::kContainerEndBytes;
  if (bytes.size() < kStart + kEnd) return;
  const std::size_t end = bytes.size() - kEnd;
  const auto number = [&](std::size_t at) {
    return io::from_little_endian<std::uint64_t>(bytes.data() + at);
  };
  const std::uint64_t blocks = number(end + 24);
  const std::uint64_t names = number(end + 32) + number(end + 40);
  if (blocks > (end - kStart) / io::kContainerIndexBytes || names > end) return;
  const std::size_t index = end - blocks * io::kContainerIndexBytes;
  if (index < kStart + names) return;
  const std::string_view all = bytes;
  if (blocks > 0) {
    const std::uint64_t lines = number(index);
    const std::uint64_t entries = number(index + 8);
    for (const io::ValueTypeName& type : io::kValueTypes) {
      if (all.substr(index + 20, 2) != type.letters || lines > index || entries > index) continue;
      const std::uint64_t count = 4 * lines + (4 + type.bytes) * entries;
      if (count <= index - names - kStart) put(bytes, index + 16, io::checksum(all.substr(kStart, count)));
    }
  }
  put(bytes, end + 48, io::checksum(all.substr(index - names, names)));
  put(bytes, end + 52, io::checksum(all.substr(index, end - index)));
  put(bytes, end + 56, io::checksum(all.substr(end, 56), io::checksum(all.substr(0, kStart))));
}

template <class T>
void check_blocks(const std::filesystem::path& path, double most_bytes) {
  const auto source = io::open_blocks<T>(path, most_bytes);
  if (source == nullptr) return;
  require(source->first_line(source->blocks()) ==
              (source->layout() == Layout::row_major ? source->rows() : source->cols()),
          "blocks that are not all lines");
  BlockEntries<T> entries;
  for (Index block = 0; block < source->blocks(); ++block) {
    source->read(block, entries);
    check(std::get<Csr<T>>(entries));
  }
}

}  // namespace

ANMF_FUZZ_TARGET(container) {
  std::string bytes(as_text(data, size));
  if (!bytes.starts_with(io::kContainerMagic)) return -1;
  mend(bytes);
  const std::filesystem::path path = written("x.anmf", bytes);
  check_load(path);
  may_refuse([&] { check_blocks<double>(path, 0); });
  may_refuse([&] { check_blocks<float>(path, 1e6); });
  return 0;
}
