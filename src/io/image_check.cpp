// SPDX-License-Identifier: MIT
#include "io/image_check.h"

#include <fmt/format.h>

#include <cstddef>
#include <stdexcept>

namespace anmf::io {

namespace {

constexpr std::string_view kPngMagic = "\x89PNG\r\n\x1a\n";

std::size_t byte_at(std::string_view bytes, std::size_t at) {
  return at < bytes.size() ? static_cast<unsigned char>(bytes[at]) : 0;
}

// The position behind the next marker from `at` on; the end if there is none. Between the markers stand
// compressed pixels, in which 0xff is followed by 0 or by the mark of a restart.
std::size_t behind_marker(std::string_view bytes, std::size_t at) {
  for (; at + 1 < bytes.size(); ++at) {
    const std::size_t kind = byte_at(bytes, at + 1);
    const bool restart = kind >= 0xd0 && kind <= 0xd7;
    if (byte_at(bytes, at) == 0xff && kind != 0 && kind != 0xff && !restart) return at + 2;
  }
  return bytes.size();
}

// The tables of one segment: a byte that says which, 16 counts of codes of every length, and the codes.
void check_tables(std::string_view bytes, std::size_t at, std::size_t end) {
  constexpr std::size_t kMostCodes = 256;
  constexpr std::size_t kLengths = 16;
  while (at < end) {
    std::size_t codes = 0;
    for (std::size_t i = 1; i <= kLengths; ++i) codes += byte_at(bytes, at + i);
    if (codes > kMostCodes) {
      throw std::runtime_error(fmt::format("at byte {} a table of {} codes is promised, expected at most {}",
                                           at, codes, kMostCodes));
    }
    at += 1 + kLengths + codes;
  }
}

}  // namespace

bool starts_as_png(std::string_view bytes) { return bytes.starts_with(kPngMagic); }

bool starts_as_jpeg(std::string_view bytes) { return bytes.starts_with("\xff\xd8"); }

void check_png_chunks(std::string_view bytes) {
  constexpr std::size_t kTag = 8;       // length and kind
  constexpr std::size_t kChecksum = 4;  // behind the data
  if (!starts_as_png(bytes)) return;
  for (std::size_t at = kPngMagic.size(); at + kTag <= bytes.size();) {
    std::size_t length = 0;
    for (std::size_t i = 0; i < 4; ++i) length = length << 8 | byte_at(bytes, at + i);
    const std::size_t follow = bytes.size() - at - kTag;
    if (length > follow) {
      throw std::runtime_error(
          fmt::format("at byte {} a chunk of {} bytes is promised, but only {} follow", at, length, follow));
    }
    if (bytes.substr(at + 4, 4) == "IEND") return;
    at += kTag + length + kChecksum;
  }
  throw std::runtime_error("it ends before its last chunk (IEND), so it is truncated");
}

void check_jpeg(std::string_view bytes) {
  constexpr std::size_t kTables = 0xc4;
  constexpr std::size_t kStart = 0xd8;
  constexpr std::size_t kEnd = 0xd9;
  if (!starts_as_jpeg(bytes)) return;
  for (std::size_t at = behind_marker(bytes, 0); at < bytes.size(); at = behind_marker(bytes, at)) {
    const std::size_t kind = byte_at(bytes, at - 1);
    if (kind == kEnd) return;
    if (kind == kStart) continue;  // it has no content
    const std::size_t length = byte_at(bytes, at) << 8 | byte_at(bytes, at + 1);
    if (kind == kTables) check_tables(bytes, at + 2, at + length);
    at += length;
  }
  if (bytes.ends_with("\xff\xd9")) return;
  throw std::runtime_error("it has no end (0xff 0xd9), so it is truncated");
}

}  // namespace anmf::io
