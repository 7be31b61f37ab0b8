// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "anmf/io.h"
#include "io/container_format.h"
#include "io/steady_file.h"

namespace anmf::io {

/// A container that is open for reading, its index checked: the blocks fill the place that there is for them,
/// and have all lines and entries together.
class Container {
 public:
  /// Throws InvalidInput if it is truncated or damaged.
  explicit Container(const std::filesystem::path& path);

  [[nodiscard]] const SteadyFile& file() const { return file_; }
  [[nodiscard]] Index rows() const { return rows_; }
  [[nodiscard]] Index cols() const { return cols_; }
  [[nodiscard]] Index nonzeros() const { return nonzeros_; }
  [[nodiscard]] Layout layout() const { return layout_; }
  /// Entries of a line.
  [[nodiscard]] Index width() const { return layout_ == Layout::row_major ? cols_ : rows_; }
  [[nodiscard]] const std::vector<ContainerBlock>& blocks() const { return blocks_; }
  [[nodiscard]] Names read_names() const;

  /// Appends the lines of a block. `bytes` is room to read in. Throws InvalidInput if its checksum is wrong.
  template <class T>
  void append(std::size_t block, Csr<T>& lines, std::string& bytes) const;

 private:
  [[noreturn]] void fail(std::string_view message) const;
  [[noreturn]] void fail_block(std::size_t block, std::string_view message) const;
  [[nodiscard]] std::string read(std::uint64_t offset, std::uint64_t count) const;
  [[nodiscard]] ContainerEnd read_ends();
  void read_sizes(const ContainerEnd& end);
  void read_index(const ContainerEnd& end);
  template <class S, class T>
  void append_values(std::size_t block, std::string_view stored, Csr<T>& lines) const;

  SteadyFile file_;
  Index rows_ = 0;
  Index cols_ = 0;
  Index nonzeros_ = 0;
  Layout layout_ = Layout::row_major;
  std::uint64_t names_position_ = 0;
  ContainerEnd end_;
  std::vector<ContainerBlock> blocks_;
};

/// All of it in memory.
template <class T>
[[nodiscard]] LoadedMatrix<T> load_container(const std::filesystem::path& path);

}  // namespace anmf::io
