// SPDX-License-Identifier: MIT
// The table of file formats. A row holds all that is known of a format outside the files that read it, and a
// new format is a new row.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "anmf/matrix_file.h"
#include "io/block_sources.h"
#include "io/dense_stream.h"

namespace anmf::io {

struct LoadOptions {
  Reading reading;
  Header header = Header::automatic;  ///< for tables
};

/// A member that every row must give a value: a row that leaves it out does not compile.
template <class V>
class Said {
 public:
  template <class U>
    requires std::convertible_to<U, V>
  constexpr Said(U value) : value_(value) {}       // NOLINT(google-explicit-constructor)
  constexpr operator V() const { return value_; }  // NOLINT(google-explicit-constructor)

 private:
  V value_;
};

/// What a format cannot do is nullptr in its row.
template <class T>
struct Format {
  using Blocks = std::unique_ptr<BlockSource<T>>;

  std::string_view name;  ///< for messages
  /// How the list of all formats in a message speaks of it; empty where another row does so.
  std::string_view listed;
  /// Names that end so promise this format, and a message on other content says that.
  std::array<std::string_view, 2> promised_by;
  /// Whether the content, uncompressed, begins with the mark of this format. Of all rows, one at most says
  /// yes.
  Said<bool (*)(std::string_view start)> has_mark;
  /// Whether text without any mark has the shape of this format. Of all rows, one at most says yes.
  Said<bool (*)(std::string_view start)> has_shape;
  /// Whether a folder is one of this format; the first row that says yes takes it.
  Said<bool (*)(const std::filesystem::path& folder)> is_folder;
  Said<bool> may_be_gzip;
  Said<bool> is_table;
  Said<bool> holds_several;  ///< matrices, of which "file::name" chooses one
  Said<bool> holds_cubes;    ///< arrays of three axes, of which Cube says how they become a matrix

  Said<LoadedMatrix<T> (*)(const Location& at, const LoadOptions& options)> load;
  /// Entries are not checked.
  Said<Matrix<T> (*)(const Location& at)> load_dense;
  Said<std::optional<StoredSizes> (*)(const Location& at, Header header)> sizes;
  Said<Blocks (*)(const Location& at, const BlockOptions& options)> blocks;
  /// Whether this file does not come in blocks, although others of the format do.
  Said<bool (*)(const Location& at)> comes_whole;
  /// A part without anything beside it.
  Said<Blocks (*)(const Location& at, const BlockOptions& options, const Part& part)> part;
  Said<Annotations (*)(const Location& at)> annotations;
  /// Nothing if the matrix is sparse. Entries are not checked.
  Said<std::optional<DenseStream> (*)(const Location& at)> lines;
};

template <class T>
[[nodiscard]] std::span<const Format<T>> formats();

/// The row of a file.
struct FormatOf {
  template <class T>
  [[nodiscard]] static const Format<T>& row(const MatrixFile& file) {
    return formats<T>()[file.row_];
  }
};

template <class T>
[[nodiscard]] const Format<T>& format_of(const MatrixFile& file) {
  return FormatOf::row<T>(file);
}

}  // namespace anmf::io
