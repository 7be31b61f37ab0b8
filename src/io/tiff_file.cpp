// SPDX-License-Identifier: MIT
#include "io/tiff_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>

#include "anmf/error.h"
#include "io/input_file.h"

namespace anmf::io {

namespace {

/// More pixels than this many for a byte of the file are in none: LZW makes the most of nothing but zeros.
constexpr std::uint64_t kLargestTiffRatio = 1400;

std::mutex& tiff_mutex() {
  static std::mutex mutex;
  return mutex;
}

std::string_view compression_name(std::uint32_t number) {
  switch (number) {
    case COMPRESSION_CCITTRLE:
    case COMPRESSION_CCITTFAX3:
    case COMPRESSION_CCITTFAX4:
      return "CCITT";
    case COMPRESSION_OJPEG:
    case COMPRESSION_JPEG:
      return "JPEG";
    case COMPRESSION_JP2000:
      return "JPEG 2000";
    case COMPRESSION_LZMA:
      return "LZMA";
    case COMPRESSION_ZSTD:
      return "Zstandard";
    case COMPRESSION_WEBP:
      return "WebP";
    default:
      return "";
  }
}

/// How many images ImageJ says that there are; nothing if it did not write the file.
Index images_of_imagej(TIFF* file) {
  char* text = nullptr;
  if (TIFFGetField(file, TIFFTAG_IMAGEDESCRIPTION, &text) != 1 || text == nullptr) return 0;
  const std::string_view description = text;
  constexpr std::string_view kImages = "\nimages=";
  const std::size_t found = description.find(kImages);
  if (!description.starts_with("ImageJ=") || found == std::string_view::npos) return 0;
  Index images = 0;
  std::from_chars(description.data() + found + kImages.size(), description.data() + description.size(),
                  images);
  return images;
}

}  // namespace

TiffQuiet::TiffQuiet()
    : lock_(tiff_mutex()), errors_(TIFFSetErrorHandler(nullptr)), warnings_(TIFFSetWarningHandler(nullptr)) {}

TiffQuiet::~TiffQuiet() {
  TIFFSetErrorHandler(errors_);
  TIFFSetWarningHandler(warnings_);
}

std::string TiffPage::type() const {
  return fmt::format("{}{} bits", kind == 'f' ? "floats of " : "", 8 * bytes);
}

// "m": not mapped into memory, where a file that shrinks would end the program.
TiffFile::TiffFile(const std::filesystem::path& path)
    : path_(path), file_bytes_(InputFile(path).bytes()), file_(TIFFOpen(path.c_str(), "rm")) {
  if (!file_) fail("cannot be read; the file is truncated or damaged.");
  page_ = look_at_page();
  for (; TIFFLastDirectory(file_.get()) == 0; pages_ = number_) {
    ++number_;
    if (TIFFReadDirectory(file_.get()) != 1) fail("cannot be read; the file is truncated or damaged.");
    const TiffPage page = look_at_page();
    if (page == page_) continue;
    fail(fmt::format("has {} x {} pixels of {}, expected {} x {} of {} as page 1.", page.height, page.width,
                     page.type(), page_.height, page_.width, page_.type()));
  }
  check_all();
  number_ = 1;
  if (TIFFSetDirectory(file_.get(), 0) != 1) fail("cannot be read; the file is truncated or damaged.");
}

void TiffFile::fail(std::string_view message) const {
  throw InvalidInput(fmt::format("{}: page {} {}", path_.string(), number_, message));
}

/// Tags of 16 and of 32 bits are read in their own size.
std::uint32_t TiffFile::tag(std::uint32_t name, std::uint32_t otherwise) const {
  if (name == TIFFTAG_IMAGEWIDTH || name == TIFFTAG_IMAGELENGTH) {
    std::uint32_t value = otherwise;
    return TIFFGetField(file_.get(), name, &value) == 1 ? value : otherwise;
  }
  std::uint16_t value = 0;
  return TIFFGetField(file_.get(), name, &value) == 1 ? value : otherwise;
}

void TiffFile::check_colours() const {
  const std::uint32_t samples = tag(TIFFTAG_SAMPLESPERPIXEL, 1);
  if (samples != 1) {
    fail(fmt::format("is in colour, or has several channels: {} numbers for each pixel, expected 1 (grey).",
                     samples));
  }
  switch (tag(TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK)) {
    case PHOTOMETRIC_MINISBLACK:
      return;
    case PHOTOMETRIC_MINISWHITE:
      fail("has 0 for white, expected grey values with 0 for black.");
    case PHOTOMETRIC_PALETTE:
      fail("has the numbers of colours in a palette, expected grey values.");
    default:
      fail("is in colour, expected grey values.");
  }
}

void TiffFile::check_compression() const {
  const std::uint32_t number = tag(TIFFTAG_COMPRESSION, COMPRESSION_NONE);
  for (const auto known : {COMPRESSION_NONE, COMPRESSION_LZW, COMPRESSION_PACKBITS, COMPRESSION_ADOBE_DEFLATE,
                           COMPRESSION_DEFLATE}) {
    if (std::cmp_equal(number, known) && TIFFIsCODECConfigured(static_cast<std::uint16_t>(number)) == 1)
      return;
  }
  const std::string_view name = compression_name(number);
  fail(fmt::format("is compressed by {}, expected LZW, deflate, PackBits or no compression.",
                   name.empty() ? fmt::format("method {}", number) : std::string(name)));
}

/// Whether the file has all that a page speaks of.
void TiffFile::check_places() const {
  const std::uint32_t count =
      TIFFIsTiled(file_.get()) != 0 ? TIFFNumberOfTiles(file_.get()) : TIFFNumberOfStrips(file_.get());
  for (std::uint32_t k = 0; k < count; ++k) {
    const std::uint64_t at = TIFFGetStrileOffset(file_.get(), k);
    const std::uint64_t bytes = TIFFGetStrileByteCount(file_.get(), k);
    if (at == 0 || bytes == 0) fail(fmt::format("has no pixels in part {} of {}.", k + 1, count));
    if (at > file_bytes_ || bytes > file_bytes_ - at) {
      fail(
          fmt::format("is truncated: {} bytes of pixels expected from byte {} on, but the file has {} bytes.",
                      bytes, at, file_bytes_));
    }
  }
}

TiffPage TiffFile::look_at_page() const {
  check_colours();
  check_compression();
  TiffPage page;
  page.height = tag(TIFFTAG_IMAGELENGTH, 0);
  page.width = tag(TIFFTAG_IMAGEWIDTH, 0);
  if (page.height < 1 || page.width < 1)
    fail(fmt::format("has {} x {} pixels, expected at least one.", page.height, page.width));
  const std::uint32_t bits = tag(TIFFTAG_BITSPERSAMPLE, 1);
  const std::uint32_t format = tag(TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_UINT);
  const bool whole = format == SAMPLEFORMAT_UINT && (bits == 8 || bits == 16 || bits == 32);
  const bool real = format == SAMPLEFORMAT_IEEEFP && (bits == 32 || bits == 64);
  if (!whole && !real) {
    const std::string_view kind = format == SAMPLEFORMAT_UINT     ? "without a sign"
                                  : format == SAMPLEFORMAT_INT    ? "with a sign"
                                  : format == SAMPLEFORMAT_IEEEFP ? "that are floats"
                                                                  : "of an unknown kind";
    fail(fmt::format(
        "has numbers of {} bit{} {}, expected 8, 16 or 32 bits without a sign, or floats of 32 or 64.", bits,
        bits == 1 ? "" : "s", kind));
  }
  page.kind = whole ? 'u' : 'f';
  page.bytes = bits / 8;
  const auto most = static_cast<Index>(kLargestTiffRatio * file_bytes_);
  if (page.height > most / page.row_bytes()) {
    fail(fmt::format("promises {} x {} pixels, but a file of {} bytes has room for at most {}.", page.height,
                     page.width, file_bytes_, most / page.bytes));
  }
  check_places();
  return page;
}

void TiffFile::check_all() const {
  if (const Index images = images_of_imagej(file_.get()); number_ == 1 && images > 1) {
    throw InvalidInput(fmt::format(
        "{}: holds {} images of ImageJ, but only one of them has a page, as ImageJ writes stacks of "
        "more than 4 GB; save it as BigTIFF, or as .npy.",
        path_.string(), images));
  }
  const auto most = static_cast<Index>(kLargestTiffRatio * file_bytes_);
  if (pages_ <= most / (page_.height * page_.row_bytes())) return;
  throw InvalidInput(fmt::format(
      "{}: promises {} pages of {} x {} pixels, but a file of {} bytes has room for {}.", path_.string(),
      pages_, page_.height, page_.width, file_bytes_, most / (page_.height * page_.row_bytes())));
}

const std::vector<std::byte>& TiffFile::read_next() {
  if (read_any_) {
    ++number_;
    if (TIFFReadDirectory(file_.get()) != 1 || look_at_page() != page_) fail("has changed.");
  }
  read_any_ = true;
  pixels_.resize(static_cast<std::size_t>(page_.height * page_.row_bytes()));
  if (TIFFIsTiled(file_.get()) != 0) {
    read_tiles();
  } else {
    read_strips();
  }
  return pixels_;
}

void TiffFile::read_strips() {
  const auto strip_rows = [&] {
    std::uint32_t rows = 0;
    TIFFGetFieldDefaulted(file_.get(), TIFFTAG_ROWSPERSTRIP, &rows);
    return std::clamp<Index>(rows, 1, page_.height);
  }();
  std::uint32_t strip = 0;
  for (Index first = 0; first < page_.height; first += strip_rows, ++strip) {
    const Index bytes = std::min(strip_rows, page_.height - first) * page_.row_bytes();
    std::byte* const target = pixels_.data() + first * page_.row_bytes();
    if (TIFFReadEncodedStrip(file_.get(), strip, target, bytes) != bytes)
      fail(fmt::format("cannot be read from row {} on; its pixels are damaged.", first));
  }
}

void TiffFile::read_tiles() {
  std::uint32_t height = 0;
  std::uint32_t width = 0;
  TIFFGetField(file_.get(), TIFFTAG_TILELENGTH, &height);
  TIFFGetField(file_.get(), TIFFTAG_TILEWIDTH, &width);
  constexpr Index kLargestTile = Index{1} << 26;
  const Index tile_bytes = TIFFTileSize(file_.get());
  if (height < 1 || width < 1 || tile_bytes < 1 || tile_bytes > kLargestTile)
    fail(fmt::format("has tiles of {} x {} pixels, expected at most {} bytes each.", height, width,
                     kLargestTile));
  tile_.resize(static_cast<std::size_t>(tile_bytes));
  std::uint32_t tile = 0;
  for (Index top = 0; top < page_.height; top += height) {
    for (Index left = 0; left < page_.width; left += width, ++tile) {
      if (TIFFReadEncodedTile(file_.get(), tile, tile_.data(), tile_bytes) != tile_bytes)
        fail(fmt::format("cannot be read from row {} on; its pixels are damaged.", top));
      const Index bytes = std::min<Index>(width, page_.width - left) * page_.bytes;
      for (Index i = 0; i < std::min<Index>(height, page_.height - top); ++i) {
        std::memcpy(pixels_.data() + (top + i) * page_.row_bytes() + left * page_.bytes,
                    tile_.data() + i * width * page_.bytes, static_cast<std::size_t>(bytes));
      }
    }
  }
}

}  // namespace anmf::io
