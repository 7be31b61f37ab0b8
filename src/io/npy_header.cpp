// SPDX-License-Identifier: MIT
#include "io/npy_header.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>

#include "anmf/error.h"
#include "io/npy_dict.h"

namespace anmf::io {

namespace {

constexpr std::size_t kPreambleBytes = 10;  // magic, version and length in version 1.0
constexpr char kNativeOrder = std::endian::native == std::endian::little ? '<' : '>';

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

std::string read_text(InputFile& file, std::size_t count, std::string_view part,
                      const std::filesystem::path& path) {
  std::string text(count, '\0');
  const std::size_t found = file.read(text.data(), count);
  if (found != count) {
    throw InvalidInput(fmt::format("{}: the file is truncated: {} bytes of {} expected, {} found.",
                                   path.string(), count, part, found));
  }
  return text;
}

// The text of the dict. `offset` becomes the position of the first entry.
std::string read_dict_text(InputFile& file, const std::filesystem::path& path, std::uint64_t& offset) {
  const std::string magic = read_text(file, kNpyMagic.size(), "the .npy magic", path);
  if (magic != kNpyMagic) {
    throw InvalidInput(fmt::format("{}: is not a .npy file: it begins with {}, expected {}.", path.string(),
                                   in_quotes(magic), in_quotes(kNpyMagic)));
  }
  const std::string version = read_text(file, 2, "the .npy version", path);
  const int major = static_cast<unsigned char>(version[0]);
  const int minor = static_cast<unsigned char>(version[1]);
  if (major < 1 || major > 3 || minor != 0) {
    throw InvalidInput(
        fmt::format("{}: .npy version {}.{} found, expected 1.0, 2.0 or 3.0.", path.string(), major, minor));
  }
  const std::size_t length_bytes = major == 1 ? 2 : 4;
  const std::uint64_t length = little_endian(read_text(file, length_bytes, "the header's length", path));
  constexpr std::uint64_t kLongestHeader = std::uint64_t{1} << 20;  // a real one has about 100 bytes
  if (length > kLongestHeader) {
    throw InvalidInput(fmt::format("{}: .npy header of {} bytes found, expected at most {}.", path.string(),
                                   length, kLongestHeader));
  }
  offset = kNpyMagic.size() + 2 + length_bytes + length;
  return read_text(file, length, "the header", path);
}

// Splits a dtype such as '<f8' or '|u1' into byte order, kind and size.
void read_descr(NpyHeader& header, const std::filesystem::path& path) {
  std::string_view rest = header.descr;
  char order = kNativeOrder;
  if (!rest.empty() && std::string_view("<>|=").find(rest[0]) != std::string_view::npos) {
    if (rest[0] == '<' || rest[0] == '>') order = rest[0];
    rest.remove_prefix(1);
  }
  header.swapped = order != kNativeOrder;
  for (const std::string_view known : {"b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8"}) {
    if (rest == known) {
      header.kind = known[0];
      header.item_bytes = known[1] - '0';
      return;
    }
  }
  throw InvalidInput(fmt::format(
      "{}: dtype {} is not supported; expected bool, integers of 8 to 64 bits, float32 or float64.",
      path.string(), in_quotes(header.descr)));
}

void check_shape(const NpyDict& dict, const std::filesystem::path& path) {
  if (dict.shape.size() == 2) return;
  const std::string_view comma = dict.shape.size() == 1 ? "," : "";
  throw InvalidInput(fmt::format("{}: {} dimension{} found, shape ({}{}); expected 2, shape (rows, columns).",
                                 path.string(), dict.shape.size(), dict.shape.size() == 1 ? "" : "s",
                                 fmt::join(dict.shape, ", "), comma));
}

void check_data_bytes(const NpyHeader& header, std::uint64_t found, const std::filesystem::path& path) {
  Index expected = 0;
  if (__builtin_mul_overflow(header.rows, header.cols, &expected) ||
      __builtin_mul_overflow(expected, Index{header.item_bytes}, &expected)) {
    throw InvalidInput(fmt::format("{}: a matrix of {} x {} has more bytes than 64 bits can count.",
                                   path.string(), header.rows, header.cols));
  }
  if (found == static_cast<std::uint64_t>(expected)) return;
  const std::string_view fault =
      found < static_cast<std::uint64_t>(expected) ? "is truncated" : "has trailing bytes";
  throw InvalidInput(
      fmt::format("{}: the file {}: {} bytes of data expected for shape ({}, {}) and dtype {}, {} found.",
                  path.string(), fault, expected, header.rows, header.cols, in_quotes(header.descr), found));
}

}  // namespace

NpyHeader read_npy_header(InputFile& file, const std::filesystem::path& path) {
  std::uint64_t offset = 0;
  const NpyDict dict = parse_npy_dict(read_dict_text(file, path, offset), path);
  NpyHeader header;
  header.descr = dict.descr;
  read_descr(header, path);
  check_shape(dict, path);
  header.fortran_order = dict.fortran_order;
  header.rows = dict.shape[0];
  header.cols = dict.shape[1];
  check_data_bytes(header, file.bytes() - offset, path);
  return header;
}

std::string npy_header(std::string_view descr, Index rows, Index cols) {
  std::string dict =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}, {}), }}", descr, rows, cols);
  // NumPy aligns the first entry to 64 bytes so that a reader may map the file.
  constexpr std::size_t kAlignment = 64;
  const std::size_t unpadded = kPreambleBytes + dict.size() + 1;
  dict.append((kAlignment - unpadded % kAlignment) % kAlignment, ' ');
  dict += '\n';
  std::string result(kNpyMagic);
  result += {'\x01', '\x00', static_cast<char>(dict.size() & 0xff), static_cast<char>(dict.size() >> 8)};
  return result + dict;
}

}  // namespace anmf::io
