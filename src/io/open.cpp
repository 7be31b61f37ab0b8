// SPDX-License-Identifier: MIT
// Which format a file or folder has. Its content decides, and its name only what a message says.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "anmf/error.h"
#include "io/cube.h"
#include "io/formats.h"
#include "io/gzip_stream.h"
#include "io/input_file.h"
#include "io/location.h"
#include "io/sparse_text.h"

namespace anmf::io {

namespace {

/// The columns of the table that are looked at here are the same for both types.
std::span<const Format<double>> all_formats() { return formats<double>(); }

/// "a, b or c".
std::string list_of_formats() {
  std::string list;
  std::string_view last;
  for (const auto& format : all_formats()) {
    if (format.listed.empty()) continue;
    if (!last.empty()) list += fmt::format("{}{}", list.empty() ? "" : ", ", last);
    last = format.listed;
  }
  return fmt::format("{} or {}", list, last);
}

[[noreturn]] void fail_unknown(const std::filesystem::path& path, std::string_view start) {
  const std::string extension = path.extension().string();
  const std::string found =
      start.empty() ? "is empty" : fmt::format("begins with {}", in_quotes(start.substr(0, 16)));
  const bool promised = !extension.empty() && std::ranges::any_of(all_formats(), [&](const auto& format) {
    return std::ranges::find(format.promised_by, extension) != format.promised_by.end();
  });
  const std::string hint =
      promised ? fmt::format(" The name ends in {}, but the content does not match it.", extension) : "";
  throw InvalidInput(fmt::format("{}: is not a supported matrix file: it {}, expected {}.{}", path.string(),
                                 found, list_of_formats(), hint));
}

std::size_t recognise_folder(const std::filesystem::path& path) {
  const auto found = std::ranges::find_if(all_formats(), [&](const auto& format) {
    return format.is_folder != nullptr && format.is_folder(path);
  });
  if (found == all_formats().end()) {
    throw InvalidInput(
        fmt::format("{}: is a folder in which there is neither matrix.mtx (10x) nor an image "
                    "(.png, .jpg, .tif, .pgm).",
                    path.string()));
  }
  return static_cast<std::size_t>(found - all_formats().begin());
}

std::size_t row_named(std::string_view name) {
  const auto found = std::ranges::find(all_formats(), name, [](const auto& format) { return format.name; });
  return static_cast<std::size_t>(found - all_formats().begin());
}

/// What the caller says that the lines of a text are.
std::size_t as_told(const std::filesystem::path& path, std::size_t row, TextLines lines) {
  const std::size_t table = row_named("table");
  const std::size_t triplets = row_named("triplets");
  if (row != table && row != triplets) {
    throw InvalidInput(fmt::format("{}: is {} {} file, not text whose lines could be triplets.",
                                   path.string(), all_formats()[row].name.starts_with('i') ? "an" : "a",
                                   all_formats()[row].name));
  }
  return lines == TextLines::triplets ? triplets : table;
}

std::size_t recognise_file(const std::filesystem::path& path) {
  const LineReader reader(path);
  const std::string_view start = reader.peek();
  // A mark decides first: a file of which little more is left has the shape of a table, say.
  auto found = std::ranges::find_if(all_formats(), [&](const auto& format) {
    return format.has_mark != nullptr && format.has_mark(start);
  });
  if (found == all_formats().end()) {
    found = std::ranges::find_if(all_formats(), [&](const auto& format) {
      return format.has_shape != nullptr && format.has_shape(start);
    });
  }
  if (found == all_formats().end()) fail_unknown(path, start);
  if (reader.compressed() && !found->may_be_gzip) {
    throw InvalidInput(fmt::format("{}: is a gzip file of a {} file; it must be uncompressed first.",
                                   path.string(), found->name));
  }
  return static_cast<std::size_t>(found - all_formats().begin());
}

/// What is wrong with the file is for its reader to say.
bool comes_whole(const Location& at, std::size_t row) {
  const auto& asks = all_formats()[row].comes_whole;
  try {
    return asks != nullptr && asks(at);
  } catch (const InvalidInput&) {
    return false;
  }
}

}  // namespace

MatrixFile::MatrixFile(std::filesystem::path path, Location at, std::size_t row, bool whole)
    : path_(std::move(path)), at_(std::move(at)), row_(row), whole_(whole) {}

std::string_view MatrixFile::format() const { return format_of<double>(*this).name; }
bool MatrixFile::is_table() const { return format_of<double>(*this).is_table; }
bool MatrixFile::comes_in_blocks() const { return format_of<double>(*this).blocks != nullptr && !whole_; }
bool MatrixFile::comes_in_parts() const { return format_of<double>(*this).part != nullptr && !whole_; }

MatrixFile open(const std::filesystem::path& path, TextLines lines, Cube cube) {
  Location at = split_location(path);
  at.cube = cube;
  std::error_code ignored;
  const bool is_folder = std::filesystem::is_directory(at.file, ignored);
  std::size_t row = is_folder ? recognise_folder(at.file) : recognise_file(at.file);
  if (lines != TextLines::automatic) row = as_told(at.file, row, lines);
  if (!at.inside.empty() && !all_formats()[row].holds_several) {
    throw InvalidInput(fmt::format("{}: holds one matrix, which has no name; {} must be left out.",
                                   at.file.string(), in_quotes("::" + at.inside)));
  }
  if (!all_formats()[row].holds_cubes) expect_no_cube(at.file.string(), cube);
  const bool whole = comes_whole(at, row);
  return {path, std::move(at), row, whole};
}

template <class T>
std::optional<StoredSizes> stored_sizes(const MatrixFile& file, Header header) {
  const Format<T>& format = format_of<T>(file);
  if (format.sizes == nullptr) return std::nullopt;
  auto sizes = format.sizes(file.location(), header);
  if (!sizes || sizes->rows == 0 || sizes->cols == 0) return std::nullopt;
  if (sizes->sparse && (sizes->rows > kMostSparseRows || sizes->cols > kMostSparseRows)) return std::nullopt;
  if (sizes->entry_bytes == 0) sizes->entry_bytes = sizeof(T);
  return sizes;
}

template std::optional<StoredSizes> stored_sizes<float>(const MatrixFile&, Header);
template std::optional<StoredSizes> stored_sizes<double>(const MatrixFile&, Header);

}  // namespace anmf::io
