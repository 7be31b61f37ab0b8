// SPDX-License-Identifier: MIT
// Containers with sound checksums whose numbers are wrong, and damaged ones.
#include <zlib.h>

#include <cstdint>
#include <string>

#include "support/broken_files.h"
#include "support/files_and_messages.h"

namespace anmf::io_test {

namespace {

std::uint32_t sum(const std::string& bytes) {
  return static_cast<std::uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

// [1 0 2; 0 3 0] as one block of rows, but for what is said otherwise. Written for machines with the lowest
// byte first.
struct Parts {
  std::uint32_t version = 1;
  std::string layout = std::string("r\0\0\0", 4);
  std::string counts = stored<std::uint32_t>({2, 1});
  std::string positions = stored<std::uint32_t>({0, 2, 1});
  std::string values = "\1\2\3";
  std::string type = "u1";
  std::uint64_t rows = 2;
  std::uint64_t cols = 3;
  std::uint64_t nonzeros = 3;
  std::uint64_t blocks = 1;
  std::string row_names;
};

std::string container(const Parts& parts) {
  const std::string start =
      "\x89"
      "ANMF\r\n\x1a" +
      stored<std::uint32_t>({parts.version}) + parts.layout;
  const std::string block = parts.counts + parts.positions + parts.values;
  const std::string index = stored<std::uint64_t>({2, 3}) + stored<std::uint32_t>({sum(block)}) + parts.type +
                            stored<std::uint16_t>({0});
  const std::string end = stored<std::uint64_t>({parts.rows, parts.cols, parts.nonzeros, parts.blocks,
                                                 parts.row_names.size(), 0}) +
                          stored<std::uint32_t>({sum(parts.row_names), sum(index)});
  return start + block + parts.row_names + index + end + stored<std::uint32_t>({sum(start + end)}) + "ANMF";
}

}  // namespace

BrokenFiles broken_containers() {
  const std::string good = container({});
  std::string damaged = good;
  damaged[20] = 7;
  constexpr std::uint64_t kHuge = std::uint64_t{1} << 40;
  return {
      {"container_magic_only.anmf", file(good.substr(0, 8))},
      {"container_cut.anmf", file(good.substr(0, good.size() - 1))},
      {"container_damaged.anmf", file(damaged)},
      {"container_version.anmf", file(container({.version = 2}))},
      {"container_layout.anmf", file(container({.layout = "xxxx"}))},
      {"container_type.anmf", file(container({.type = "i1"}))},
      {"container_huge_sizes.anmf", file(container({.rows = kHuge, .cols = kHuge}))},
      {"container_many_rows.anmf", file(container({.rows = 100}))},
      {"container_many_columns.anmf", file(container({.cols = 4'000'000'000}))},
      {"container_huge_promise.anmf", file(container({.nonzeros = kHuge}))},
      {"container_many_blocks.anmf", file(container({.blocks = std::uint64_t{1} << 62}))},
      {"container_counts.anmf", file(container({.counts = stored<std::uint32_t>({2, 2})}))},
      {"container_position.anmf", file(container({.positions = stored<std::uint32_t>({0, 3, 1})}))},
      {"container_unsorted.anmf", file(container({.positions = stored<std::uint32_t>({2, 0, 1})}))},
      {"container_zero.anmf", file(container({.values = std::string("\1\0\3", 3)}))},
      {"container_few_names.anmf", file(container({.row_names = stored<std::uint32_t>({1}) + "a"}))},
  };
}

}  // namespace anmf::io_test
