// SPDX-License-Identifier: MIT
#include "io/detect.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "anmf/error.h"
#include "io/gzip_stream.h"
#include "io/input_file.h"
#include "io/matrix_market_header.h"
#include "io/npy_header.h"
#include "io/text_fields.h"
#include "io/text_number.h"

namespace anmf::io {

namespace {

[[noreturn]] void fail_unknown(const std::filesystem::path& path, std::string_view start) {
  const std::string extension = path.extension().string();
  const std::string found =
      start.empty() ? "is empty" : fmt::format("begins with {}", in_quotes(start.substr(0, 16)));
  std::string hint;
  if (extension == ".npy" || extension == ".npz" || extension == ".mtx" || extension == ".gz") {
    hint = fmt::format(" The name ends in {}, but the content does not match it.", extension);
  }
  throw InvalidInput(fmt::format(
      "{}: is not a supported matrix file: it {}, expected NumPy (.npy, .npz), Matrix Market (.mtx, "
      ".mtx.gz) or a table of numbers (.csv, .tsv).{}",
      path.string(), found, hint));
}

[[noreturn]] void fail_compressed(const std::filesystem::path& path, std::string_view kind) {
  throw InvalidInput(
      fmt::format("{}: is a gzip file of a {} file; it must be uncompressed first.", path.string(), kind));
}

bool starts_as_zip(std::string_view start) {
  return start.starts_with("PK\x03\x04") || start.starts_with("PK\x05\x06");  // the latter is empty
}

bool is_text(std::string_view start) {
  constexpr std::size_t kEnough = 4096;
  start = start.substr(0, kEnough);
  return std::all_of(start.begin(), start.end(), [](char c) {
    return static_cast<unsigned char>(c) >= 0x20 || c == '\t' || c == '\r' || c == '\n';
  });
}

// One of the first lines has a number in its last field; in a misspelled banner there is none.
bool looks_like_table(std::string_view start) {
  if (!is_text(start) || start.starts_with('%')) return false;
  constexpr int kLines = 4;
  for (int i = 0; i < kLines && !start.empty(); ++i) {
    const std::size_t end = start.find('\n');
    const std::string_view line = without_marks(start.substr(0, end));
    Fields fields(line, find_separator(line));
    while (fields.next()) {
    }
    double ignored = 0;
    if (parse_number(fields.field(), ignored) != Parsed::kMalformed) return true;
    start.remove_prefix(end == std::string_view::npos ? start.size() : end + 1);
  }
  return false;
}

}  // namespace

Format detect(const std::filesystem::path& path) {
  LineReader reader(path);
  const std::string_view start = reader.peek();
  if (starts_as_matrix_market(start)) return Format::kMatrixMarket;
  if (start.starts_with(kNpyMagic)) {
    if (reader.compressed()) fail_compressed(path, ".npy");
    return Format::kNpy;
  }
  if (starts_as_zip(start)) {
    if (reader.compressed()) fail_compressed(path, ".npz");
    return Format::kNpz;
  }
  if (looks_like_table(start)) return Format::kTable;
  fail_unknown(path, start);
}

}  // namespace anmf::io
