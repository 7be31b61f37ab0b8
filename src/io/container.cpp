// SPDX-License-Identifier: MIT
#include "io/container.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <type_traits>
#include <utility>

#include "anmf/error.h"
#include "io/block_sources.h"
#include "io/checksum.h"
#include "io/input_file.h"
#include "io/own.h"
#include "io/text_fields.h"

namespace anmf::io {

namespace {

constexpr Index kMostLines = std::numeric_limits<std::uint32_t>::max();

// Takes one number after another from the front.
class Numbers {
 public:
  explicit Numbers(std::string_view bytes) : rest_(bytes) {}

  template <class S>
  S take() {
    const S value = from_little_endian<S>(&rest_.front());
    rest_.remove_prefix(sizeof(S));
    return value;
  }
  [[nodiscard]] std::string_view text(std::size_t count) {
    const std::string_view result = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return result;
  }
  [[nodiscard]] std::size_t left() const { return rest_.size(); }

 private:
  std::string_view rest_;
};

}  // namespace

Container::Container(const std::filesystem::path& path) : file_(path), end_(read_ends()) {
  read_sizes(end_);
  read_index(end_);
}

void Container::fail(std::string_view message) const {
  throw InvalidInput(fmt::format("{}: {}", file_.path().string(), message));
}

void Container::fail_block(std::size_t block, std::string_view message) const {
  const ContainerBlock& at = blocks_[block];
  fail(fmt::format("block {} ({}s {} to {}, counted from 0): {}", block,
                   layout_ == Layout::row_major ? "row" : "column", at.first_line,
                   at.first_line + at.lines - 1, message));
}

std::string Container::read(std::uint64_t offset, std::uint64_t count) const {
  std::string bytes(count, '\0');
  const std::size_t found = file_.read(offset, bytes.data(), count);
  if (found != count) {
    throw IoError(fmt::format("{}: the file shrank while it was read: {} bytes expected at {}, {} found.",
                              file_.path().string(), count, offset, found));
  }
  return bytes;
}

ContainerEnd Container::read_ends() {
  constexpr std::uint64_t kLeast = kContainerStartBytes + kContainerEndBytes;
  const std::string start = read(0, std::min<std::uint64_t>(file_.bytes(), kContainerStartBytes));
  if (!start.starts_with(kContainerMagic)) fail("is no container of anmf: it begins with other bytes.");
  if (file_.bytes() < kLeast) {
    fail(fmt::format("the file is truncated: {} bytes found, a container has at least {}.", file_.bytes(),
                     kLeast));
  }
  Numbers numbers(std::string_view(start).substr(kContainerMagic.size()));
  const auto version = numbers.take<std::uint32_t>();
  if (version != kContainerVersion) {
    fail(fmt::format("is a container of version {}, expected {}; a newer anmf may read it.", version,
                     kContainerVersion));
  }
  const std::string_view layout = numbers.text(4);
  const std::string end = read(file_.bytes() - kContainerEndBytes, kContainerEndBytes);
  if (!end.ends_with(kContainerEndMark)) fail("the file is truncated: it does not end as a container does.");
  numbers = Numbers(end);
  ContainerEnd result;
  for (std::uint64_t* number : {&result.rows, &result.cols, &result.nonzeros, &result.blocks,
                                &result.row_name_bytes, &result.col_name_bytes}) {
    *number = numbers.take<std::uint64_t>();
  }
  result.names_checksum = numbers.take<std::uint32_t>();
  result.index_checksum = numbers.take<std::uint32_t>();
  const std::uint32_t computed =
      checksum(std::string_view(end).substr(0, end.size() - numbers.left()), checksum(start));
  if (numbers.take<std::uint32_t>() != computed) fail("its end is damaged: the checksum does not fit.");
  if (layout != std::string_view("r\0\0\0", 4) && layout != std::string_view("c\0\0\0", 4)) {
    fail(fmt::format("the layout is {}, expected 'r' (rows) or 'c' (columns) and three zeros.",
                     in_quotes(layout)));
  }
  layout_ = layout[0] == 'r' ? Layout::row_major : Layout::column_major;
  return result;
}

void Container::read_sizes(const ContainerEnd& end) {
  if (end.rows < 1 || end.cols < 1 || end.rows > kMostLines || end.cols > kMostLines) {
    fail(fmt::format("the matrix is {} x {}; a sparse matrix may have 1 to {} rows and columns.", end.rows,
                     end.cols, kMostLines));
  }
  // Each number alone first, so that no sum of them is too large.
  const std::uint64_t room = file_.bytes() - kContainerStartBytes - kContainerEndBytes;
  const bool fits = end.blocks <= room / kContainerIndexBytes && end.nonzeros <= room &&
                    end.row_name_bytes <= room && end.col_name_bytes <= room &&
                    end.blocks * kContainerIndexBytes + end.row_name_bytes + end.col_name_bytes <= room;
  if (!fits) {
    fail(
        fmt::format("promises {} blocks, {} entries and {} and {} bytes of names, which do not fit into "
                    "its {} bytes.",
                    end.blocks, end.nonzeros, end.row_name_bytes, end.col_name_bytes, file_.bytes()));
  }
  rows_ = static_cast<Index>(end.rows);
  cols_ = static_cast<Index>(end.cols);
  nonzeros_ = static_cast<Index>(end.nonzeros);
  names_position_ = file_.bytes() - kContainerEndBytes - end.blocks * kContainerIndexBytes -
                    end.row_name_bytes - end.col_name_bytes;
  check_sparse_sizes(file_.path(), rows_, cols_, nonzeros_);
}

void Container::read_index(const ContainerEnd& end) {
  const std::uint64_t bytes = end.blocks * kContainerIndexBytes;
  const std::string index = read(file_.bytes() - kContainerEndBytes - bytes, bytes);
  if (checksum(index) != end.index_checksum) fail("its index is damaged: the checksum does not fit.");
  blocks_.reserve(end.blocks);
  Numbers numbers(index);
  ContainerBlock block{.position = kContainerStartBytes};
  const Index lines = layout_ == Layout::row_major ? rows_ : cols_;
  Index entries = 0;
  for (std::uint64_t k = 0; k < end.blocks; ++k) {
    const auto block_lines = numbers.take<std::uint64_t>();
    const auto block_entries = numbers.take<std::uint64_t>();
    block.checksum = numbers.take<std::uint32_t>();
    const std::string_view letters = numbers.text(2);
    const auto* const type = std::find_if(kValueTypes.begin(), kValueTypes.end(),
                                          [&](const ValueTypeName& name) { return name.letters == letters; });
    if (type == kValueTypes.end() || numbers.take<std::uint16_t>() != 0) {
      fail(fmt::format("block {} has values of type {}, expected u1, u2, u4, f4 or f8 and two zeros.", k,
                       in_quotes(letters)));
    }
    if (block_lines < 1 || std::cmp_greater(block_lines, lines - block.first_line) ||
        std::cmp_greater(block_entries, nonzeros_ - entries)) {
      fail(fmt::format("block {} has {} lines and {} entries, expected 1 to {} and at most {}.", k,
                       block_lines, block_entries, lines - block.first_line, nonzeros_ - entries));
    }
    block.type = static_cast<ValueType>(type - kValueTypes.begin());
    block.lines = static_cast<Index>(block_lines);
    block.entries = static_cast<Index>(block_entries);
    blocks_.push_back(block);
    block.position += block.bytes();
    block.first_line += block.lines;
    entries += block.entries;
  }
  if (block.first_line == lines && entries == nonzeros_ && block.position == names_position_) return;
  fail(fmt::format("its blocks have {} lines, {} entries and end at byte {}, expected {}, {} and {}.",
                   block.first_line, entries, block.position, lines, nonzeros_, names_position_));
}

Names Container::read_names() const {
  const std::string bytes = read(names_position_, end_.row_name_bytes + end_.col_name_bytes);
  if (checksum(bytes) != end_.names_checksum) fail("its names are damaged: the checksum does not fit.");
  const auto split = [&](std::string_view part, Index expected, std::string_view side) {
    std::vector<std::string> names;
    Numbers numbers(part);
    while (numbers.left() >= sizeof(std::uint32_t)) {
      const auto length = numbers.take<std::uint32_t>();
      if (length > numbers.left()) break;
      names.emplace_back(numbers.text(length));
    }
    if (numbers.left() > 0 || (!part.empty() && static_cast<Index>(names.size()) != expected)) {
      fail(fmt::format("its {} bytes of {} names hold {}, expected {}.", part.size(), side,
                       counted(static_cast<Index>(names.size()), "name"), expected));
    }
    for (const std::string& name : names) {
      if (!is_utf8(name)) fail(fmt::format("the {} name {} is not UTF-8.", side, in_quotes(name)));
    }
    return names;
  };
  const std::string_view all = bytes;
  return {split(all.substr(0, end_.row_name_bytes), rows_, "row"),
          split(all.substr(end_.row_name_bytes), cols_, "column")};
}

template <class S, class T>
void Container::append_values(std::size_t block, std::string_view stored, Csr<T>& lines) const {
  const std::size_t first = lines.values.size();
  const std::size_t count = stored.size() / sizeof(S);
  lines.values.resize(first + count);
  T* const target = lines.values.data() + first;
  bool good = true;
  for (std::size_t k = 0; k < count; ++k) {
    const S value = from_little_endian<S>(stored.data() + k * sizeof(S));
    good &= value > S{0} && value <= std::numeric_limits<S>::max();
    target[k] = static_cast<T>(value);
    if constexpr (std::is_same_v<S, double> && std::is_same_v<T, float>)
      good &= target[k] <= std::numeric_limits<T>::max();
  }
  if (!good) {
    fail_block(block, fmt::format("a value is not positive and finite{}.",
                                  std::is_same_v<T, float> ? " in single precision" : ""));
  }
}

template <class T>
void Container::append(std::size_t block, Csr<T>& lines, std::string& bytes) const {
  const ContainerBlock& at = blocks_[block];
  bytes.resize(at.bytes());
  const std::size_t found = file_.read(at.position, bytes.data(), bytes.size());
  if (found != bytes.size()) {
    file_.expect_unchanged(fmt::format("block {}", block));
    fail_block(block, fmt::format("{} bytes expected, {} found.", bytes.size(), found));
  }
  if (const std::uint32_t sum = checksum(bytes); sum != at.checksum) {
    file_.expect_unchanged(fmt::format("block {}", block));
    fail_block(block, fmt::format("the checksum is {:08x}, expected {:08x}; the file is damaged.", sum,
                                  at.checksum));
  }
  const auto line_count = static_cast<std::size_t>(at.lines);
  const auto count = static_cast<std::size_t>(at.entries);
  const char* const counts = bytes.data();
  const char* const positions = counts + 4 * line_count;
  const std::size_t first = lines.indices.size();
  lines.indices.resize(first + count);
  std::size_t done = 0;
  for (std::size_t i = 0; i < line_count; ++i) {
    const auto size = std::size_t{from_little_endian<std::uint32_t>(counts + 4 * i)};
    if (size > count - done) fail_block(block, "its lines have more entries than it has.");
    std::uint32_t* const target = lines.indices.data() + first + done;
    bool ascending = true;
    for (std::size_t k = 0; k < size; ++k) {
      target[k] = from_little_endian<std::uint32_t>(positions + 4 * (done + k));
      ascending &= k == 0 || target[k - 1] < target[k];
    }
    if (!ascending || (size > 0 && Index{target[size - 1]} >= width()))
      fail_block(block, fmt::format("the positions in a line do not ascend from 0 to {}.", width() - 1));
    done += size;
    lines.offsets.push_back(static_cast<Index>(first + done));
  }
  if (done != count) fail_block(block, "its lines have fewer entries than it has.");
  lines.rows += at.lines;
  lines.cols = width();
  const std::string_view values = std::string_view(bytes).substr(4 * line_count + 4 * count);
  visit_value_type(at.type, [&]<class S>() { append_values<S>(block, values, lines); });
}

template <class T>
LoadedMatrix<T> load_container(const std::filesystem::path& path) {
  const Container container(path);
  Names names = container.read_names();
  LoadedMatrix<T> loaded = collect(*open_container_blocks<T>(path, {}), container.nonzeros());
  container.file().expect_unchanged("its end");
  loaded.single_precision = std::all_of(
      container.blocks().begin(), container.blocks().end(),
      [](const ContainerBlock& block) { return block.type != ValueType::f8 && block.type != ValueType::u4; });
  loaded.row_names = std::move(names.rows);
  loaded.col_names = std::move(names.cols);
  return loaded;
}

template void Container::append<float>(std::size_t, Csr<float>&, std::string&) const;
template void Container::append<double>(std::size_t, Csr<double>&, std::string&) const;
template LoadedMatrix<float> load_container<float>(const std::filesystem::path&);
template LoadedMatrix<double> load_container<double>(const std::filesystem::path&);

}  // namespace anmf::io
