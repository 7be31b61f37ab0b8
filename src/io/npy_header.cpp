// SPDX-License-Identifier: MIT
#include "io/npy_header.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <vector>

#include "anmf/error.h"
#include "io/input_file.h"
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

std::string read_text(ByteSource& file, std::size_t count, std::string_view part,
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
std::string read_dict_text(ByteSource& file, const std::filesystem::path& path, std::uint64_t& offset) {
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

void check_two_dimensions(const std::vector<Index>& shape, const std::filesystem::path& path) {
  if (shape.size() == 2) return;
  throw InvalidInput(fmt::format("{}: {} dimension{} found, shape {}; expected 2, shape (rows, columns).",
                                 path.string(), shape.size(), shape.size() == 1 ? "" : "s",
                                 shape_text(shape)));
}

// The number of entries, which must fill `found` bytes exactly.
Index count_entries(const NpyHeader& header, std::uint64_t found, const std::filesystem::path& path) {
  Index count = 1;
  Index expected = 0;
  bool overflow = false;
  for (const Index length : header.shape)
    overflow = __builtin_mul_overflow(count, length, &count) || overflow;
  if (overflow || __builtin_mul_overflow(count, Index{header.item_bytes}, &expected)) {
    throw InvalidInput(fmt::format("{}: a matrix of {} has more bytes than 64 bits can count.", path.string(),
                                   fmt::join(header.shape, " x ")));
  }
  if (found == static_cast<std::uint64_t>(expected)) return count;
  const std::string_view fault =
      found < static_cast<std::uint64_t>(expected) ? "is truncated" : "has trailing bytes";
  throw InvalidInput(
      fmt::format("{}: the file {}: {} bytes of data expected for shape {} and dtype {}, {} found.",
                  path.string(), fault, expected, shape_text(header.shape), in_quotes(header.descr), found));
}

NpyDict read_dict(ByteSource& file, const std::filesystem::path& path, NpyHeader& header) {
  NpyDict dict = parse_npy_dict(read_dict_text(file, path, header.offset), path);
  header.descr = dict.descr;
  read_descr(header, path);
  header.shape = dict.shape;
  return dict;
}

}  // namespace

NpyHeader read_npy_header(ByteSource& file, const std::filesystem::path& path, std::optional<Cube> cube) {
  NpyHeader header;
  const NpyDict dict = read_dict(file, path, header);
  if (!cube) check_two_dimensions(header.shape, path);
  header.matrix = unfold(path.string(), header.shape, dict.fortran_order, cube.value_or(Cube::automatic));
  header.count = count_entries(header, file.bytes() - header.offset, path);
  return header;
}

NpyHeader read_npy_array_header(ByteSource& file, const std::filesystem::path& path) {
  NpyHeader header;
  static_cast<void>(read_dict(file, path, header));
  header.count = count_entries(header, file.bytes() - header.offset, path);
  return header;
}

std::string read_npy_text(ByteSource& file, const std::filesystem::path& path) {
  std::uint64_t offset = 0;
  const NpyDict dict = parse_npy_dict(read_dict_text(file, path, offset), path);
  const bool text = dict.descr.find_first_of("SU") != std::string::npos;
  constexpr std::uint64_t kLongest = 1024;  // a word is meant
  const std::uint64_t bytes = file.bytes() - offset;
  if (!text || !dict.shape.empty() || bytes > kLongest) {
    throw InvalidInput(fmt::format("{}: {} bytes of dtype {} and shape {} found, expected one short text.",
                                   path.string(), bytes, in_quotes(dict.descr), shape_text(dict.shape)));
  }
  std::string result = read_text(file, bytes, "text", path);
  // U has four bytes for every character, S pads with zeros; of ASCII only the letters remain.
  std::erase(result, '\0');
  return result;
}

std::string npy_header(std::string_view descr, Index rows, Index cols) {
  return npy_header(descr, fmt::format("({}, {})", rows, cols));
}

std::string npy_header(std::string_view descr, std::string_view shape) {
  std::string dict = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", descr, shape);
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
