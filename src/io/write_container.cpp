// SPDX-License-Identifier: MIT
// Writes the container of container_format.h in one go, block after block.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <ostream>
#include <span>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "anmf/error.h"
#include "anmf/io.h"
#include "io/checksum.h"
#include "io/container_format.h"
#include "io/dense_rows.h"
#include "io/line_blocks.h"
#include "io/names_check.h"

namespace anmf::io {

namespace {

/// Small enough that a reader can put blocks together as its memory allows, large enough for a disk.
constexpr double kStoredBlockBytes = 1 << 20;

/// The narrowest type that holds all values exactly.
template <class T>
ValueType narrowest(std::span<const T> values) {
  T largest = 0;
  bool whole = true;
  bool single = true;
  for (const T value : values) {
    largest = std::max(largest, value);
    if constexpr (std::is_floating_point_v<T>) {
      whole = whole && value == std::trunc(value);
      single = single && static_cast<T>(static_cast<float>(value)) == value;
    }
  }
  const auto most = static_cast<double>(largest);
  if (whole && most <= std::numeric_limits<std::uint8_t>::max()) return ValueType::u1;
  if (whole && most <= std::numeric_limits<std::uint16_t>::max()) return ValueType::u2;
  if (whole && most <= std::numeric_limits<std::uint32_t>::max()) return ValueType::u4;
  return single ? ValueType::f4 : ValueType::f8;
}

class ContainerWriter {
 public:
  ContainerWriter(std::ostream& out, Layout layout) : out_(out) {
    start_ = kContainerMagic;
    append_little_endian(start_, kContainerVersion);
    start_ += {layout == Layout::row_major ? 'r' : 'c', '\0', '\0', '\0'};
    write(start_);
  }

  /// The next lines, in multiples of kBlockRows but for the last.
  template <class T>
  void add(const CsrView<T>& lines) {
    const auto offset = [&](Index line) { return lines.offsets[static_cast<std::size_t>(line)]; };
    const auto bytes = [&](Index begin, Index end) {
      return sparse_bytes<float>(end - begin, offset(end) - offset(begin));
    };
    const std::vector<Index> firsts = cut_lines(lines.rows, kStoredBlockBytes, bytes);
    for (std::size_t k = 0; k + 1 < firsts.size(); ++k) add_block(lines, firsts[k], firsts[k + 1]);
  }

  void finish(Index rows, Index cols, const Names& names) {
    const std::string row_names = joined(names.rows);
    const std::string col_names = joined(names.cols);
    write(row_names);
    write(col_names);
    write(index_);
    std::string end;
    for (const Index number : {rows, cols, entries_, blocks_})
      append_little_endian(end, static_cast<std::uint64_t>(number));
    append_little_endian(end, static_cast<std::uint64_t>(row_names.size()));
    append_little_endian(end, static_cast<std::uint64_t>(col_names.size()));
    append_little_endian(end, checksum(col_names, checksum(row_names)));
    append_little_endian(end, checksum(index_));
    append_little_endian(end, checksum(end, checksum(start_)));
    end += kContainerEndMark;
    write(end);
  }

 private:
  void write(const std::string& bytes) {
    out_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }

  template <class T>
  void add_block(const CsrView<T>& lines, Index begin, Index end) {
    const auto offset = [&](Index line) {
      return static_cast<std::size_t>(lines.offsets[static_cast<std::size_t>(line)]);
    };
    const std::size_t count = offset(end) - offset(begin);
    const std::span<const T> values = lines.values.subspan(offset(begin), count);
    const ValueType type = narrowest(values);
    block_.clear();
    for (Index i = begin; i < end; ++i)
      append_little_endian(block_, static_cast<std::uint32_t>(offset(i + 1) - offset(i)));
    for (const std::uint32_t index : lines.indices.subspan(offset(begin), count))
      append_little_endian(block_, index);
    visit_value_type(type, [&]<class S>() {
      for (const T value : values) append_little_endian(block_, static_cast<S>(value));
    });
    write(block_);
    append_little_endian(index_, static_cast<std::uint64_t>(end - begin));
    append_little_endian(index_, static_cast<std::uint64_t>(count));
    append_little_endian(index_, checksum(block_));
    index_ += name_of(type).letters;
    append_little_endian(index_, std::uint16_t{0});
    entries_ += static_cast<Index>(count);
    ++blocks_;
  }

  static std::string joined(const std::vector<std::string>& names) {
    std::string bytes;
    for (const std::string& name : names) {
      append_little_endian(bytes, static_cast<std::uint32_t>(name.size()));
      bytes += name;
    }
    return bytes;
  }

  std::ostream& out_;
  std::string start_;
  std::string index_;
  std::string block_;
  Index entries_ = 0;
  Index blocks_ = 0;
};

void check_sizes(const std::filesystem::path& path, Index rows, Index cols, const Names& names) {
  constexpr Index kLimit = std::numeric_limits<std::uint32_t>::max();
  if (rows < 1 || cols < 1 || rows > kLimit || cols > kLimit) {
    throw InvalidInput(fmt::format("{}: the matrix is {} x {}; a container holds 1 to {} rows and columns.",
                                   path.string(), rows, cols, kLimit));
  }
  check_names(path, names.rows, rows, "row");
  check_names(path, names.cols, cols, "column");
}

}  // namespace

template <class T>
void write_container(const std::filesystem::path& path, const CsrView<T>& matrix, const Names& names) {
  check_sizes(path, matrix.rows, matrix.cols, names);
  write_atomically(path, [&](std::ostream& out) {
    ContainerWriter writer(out, Layout::row_major);
    writer.add(matrix);
    writer.finish(matrix.rows, matrix.cols, names);
  });
}

template <class T>
void write_container(const std::filesystem::path& path, BlockSource<T>& matrix, const Names& names,
                     const std::function<void(Index)>& after_block) {
  check_sizes(path, matrix.rows(), matrix.cols(), names);
  write_atomically(path, [&](std::ostream& out) {
    ContainerWriter writer(out, matrix.layout());
    BlockEntries<T> entries;
    for (Index block = 0; block < matrix.blocks(); ++block) {
      matrix.read(block, entries);
      std::visit(
          [&]<class E>(const E& lines) {
            if constexpr (std::is_same_v<E, Csr<T>>) {
              writer.add(view_of(lines));
            } else {
              writer.add(view_of(compressed(rows_of(lines.view()))));
            }
          },
          entries);
      if (after_block) after_block(block);
    }
    writer.finish(matrix.rows(), matrix.cols(), names);
  });
}

template void write_container<float>(const std::filesystem::path&, const CsrView<float>&, const Names&);
template void write_container<double>(const std::filesystem::path&, const CsrView<double>&, const Names&);
template void write_container<std::uint16_t>(const std::filesystem::path&, const CsrView<std::uint16_t>&,
                                             const Names&);
template void write_container<std::uint8_t>(const std::filesystem::path&, const CsrView<std::uint8_t>&,
                                            const Names&);
template void write_container<float>(const std::filesystem::path&, BlockSource<float>&, const Names&,
                                     const std::function<void(Index)>&);
template void write_container<double>(const std::filesystem::path&, BlockSource<double>&, const Names&,
                                      const std::function<void(Index)>&);

}  // namespace anmf::io
