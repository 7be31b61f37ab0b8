// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <zlib.h>

#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#define STBI_WRITE_NO_STDIO
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#include <stb_image_write.h>
#pragma GCC diagnostic pop

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "anmf/io.h"
#include "support/reader_test.h"

namespace anmf::io::folder_test {
namespace {

using io_test::expect_phrase;
using io_test::gzip;
using io_test::load_failure;
using io_test::TemporaryFolder;
using io_test::write_bytes;
using test::as_read;
using test::matrix_of;
using Names = std::vector<std::string>;
namespace fs = std::filesystem;

constexpr std::string_view kMarket =
    "%%MatrixMarket matrix coordinate integer general\n2 3 3\n1 1 4\n2 2 1\n2 3 5\n";
const Matrix<double> kCells = matrix_of<double>(2, 3, {4, 0, 0, 0, 1, 5});

TEST(TenXFolder, HasTheNamesOfFeaturesAndBarcodes) {
  const TemporaryFolder folder;
  write_bytes(folder, "matrix.mtx.gz", gzip(kMarket));
  write_bytes(folder, "features.tsv.gz",
              gzip("ENSG1\tACTB\tGene Expression\nENSG2\tCD3E\tGene Expression\n"));
  write_bytes(folder, "barcodes.tsv.gz", gzip("AAA-1\nCCC-1\nGGG-1\n"));

  const LoadedMatrix<double> loaded = load<double>(folder.path());

  EXPECT_EQ(loaded.data->storage(), Storage::sparse);
  EXPECT_EQ(as_read(loaded), kCells);
  EXPECT_EQ(loaded.row_names, (Names{"ACTB", "CD3E"}));
  EXPECT_EQ(loaded.col_names, (Names{"AAA-1", "CCC-1", "GGG-1"}));
}

TEST(TenXFolder, MayBeOfTheOlderKind) {
  const TemporaryFolder folder;
  write_bytes(folder, "matrix.mtx", kMarket);
  write_bytes(folder, "genes.tsv", "ENSG1\tACTB\nENSG2\tCD3E\n");

  const LoadedMatrix<float> loaded = load<float>(folder.path());

  EXPECT_EQ(loaded.row_names, (Names{"ACTB", "CD3E"}));
  EXPECT_TRUE(loaded.col_names.empty());
}

TEST(TenXFolder, MustHaveAsManyNamesAsRowsAndColumns) {
  const TemporaryFolder folder;
  write_bytes(folder, "matrix.mtx", kMarket);
  write_bytes(folder, "barcodes.tsv", "AAA-1\nCCC-1\n");

  expect_phrase(load_failure(folder.path()), "barcodes.tsv: 2 names found, expected 3.");
}

std::string pgm(int width, int height, std::string_view pixels, int white = 255) {
  return "P5\n" + std::to_string(width) + " " + std::to_string(height) + "\n" + std::to_string(white) + "\n" +
         std::string(pixels);
}

std::string big_endian(std::uint32_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xff);
  return bytes;
}

std::string chunk(const std::string& kind, const std::string& data) {
  const std::string all = kind + data;
  const auto checksum = crc32(0, reinterpret_cast<const Bytef*>(all.data()), static_cast<uInt>(all.size()));
  return big_endian(static_cast<std::uint32_t>(data.size())) + all +
         big_endian(static_cast<std::uint32_t>(checksum));
}

TEST(Images, ReadPnmOfBothDepthsWithCommentsAndColours) {
  const TemporaryFolder folder;
  using namespace std::string_literals;
  write_bytes(folder, "1.pgm", "P5 # made by hand\n2\n#\n1 65535\n\1\2\xff\0"s);
  write_bytes(folder, "2.pgm", "P6 2 1 65535\n\0\4\0\4\0\4\xff\xff\0\0\0\0"s);

  // A colour of equal parts is that grey, and red counts 77/256.
  EXPECT_EQ(as_read(load<double>(folder.path())), matrix_of<double>(2, 2, {258, 4, 65280, 19711}));
}

// Grey values of 8 or 16 bits, row by row.
std::string png(std::uint32_t width, std::uint32_t height, const std::string& pixels, int bits = 8) {
  std::string rows;
  const std::size_t row_bytes = pixels.size() / height;
  for (std::size_t i = 0; i < height; ++i) rows += '\0' + pixels.substr(i * row_bytes, row_bytes);
  uLongf size = compressBound(rows.size());
  std::string packed(size, '\0');
  ::compress(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(rows.data()),
             rows.size());
  packed.resize(size);
  const std::string header =
      big_endian(width) + big_endian(height) + static_cast<char>(bits) + std::string(4, '\0');
  return "\x89PNG\r\n\x1a\n" + chunk("IHDR", header) + chunk("IDAT", packed) + chunk("IEND", "");
}

TEST(ImageFolder, HasAnImageInEveryColumn) {
  const TemporaryFolder folder;
  write_bytes(folder, "b.png", png(3, 2, "\x0a\x14\x1e\x28\x32\x3c"));
  write_bytes(folder, "a.PGM", pgm(3, 2, "\1\2\3\4\5\6"));
  write_bytes(folder, "readme.txt", "not an image");

  const LoadedMatrix<double> loaded = load<double>(folder.path());

  EXPECT_EQ(loaded.data->storage(), Storage::dense);
  EXPECT_EQ(as_read(loaded), matrix_of<double>(6, 2, {1, 10, 2, 20, 3, 30, 4, 40, 5, 50, 6, 60}));
  EXPECT_EQ(loaded.col_names, (Names{"a.PGM", "b.png"}));
  EXPECT_TRUE(loaded.row_names.empty());
  EXPECT_EQ(loaded.images.height, 2);
  EXPECT_EQ(loaded.images.width, 3);
}

TEST(ImageFolder, ScalesAllToSixteenBitsIfOneHasThem) {
  const TemporaryFolder folder;
  write_bytes(folder, "1.pgm", pgm(2, 1, "\1\xff"));
  write_bytes(folder, "2.png", png(2, 1, std::string("\1\0\xff\xff", 4), 16));
  write_bytes(folder, "3.pgm", pgm(2, 1, std::string("\0\2", 2)));

  EXPECT_EQ(as_read(load<double>(folder.path())), matrix_of<double>(2, 3, {257, 256, 0, 65535, 65535, 514}));
}

// Flat images, since JPEG loses what is not.
TEST(ImageFolder, ReadsJpegAndMakesColoursGrey) {
  const TemporaryFolder folder;
  for (const int grey : {10, 200}) {
    const std::vector<std::uint8_t> pixels(std::size_t{8} * 16 * 3, static_cast<std::uint8_t>(grey));
    std::string bytes;
    const auto append = [](void* text, void* data, int size) {
      static_cast<std::string*>(text)->append(static_cast<const char*>(data), static_cast<std::size_t>(size));
    };
    ASSERT_NE(stbi_write_jpg_to_func(append, &bytes, 16, 8, 3, pixels.data(), 95), 0);
    write_bytes(folder, std::to_string(grey) + ".jpeg", bytes);
  }

  const LoadedMatrix<double> loaded = load<double>(folder.path());

  EXPECT_EQ(loaded.images.height, 8);
  EXPECT_EQ(loaded.images.width, 16);
  const Matrix<double> matrix = as_read(loaded);
  ASSERT_EQ(matrix.rows(), 128);
  for (Index i = 0; i < matrix.rows(); ++i) {
    EXPECT_NEAR(matrix(i, 0), 10, 2);
    EXPECT_NEAR(matrix(i, 1), 200, 2);
  }
}

TEST(ImageFolder, MustHoldImagesOfOneSize) {
  const TemporaryFolder folder;
  write_bytes(folder, "a.pgm", pgm(2, 1, "\1\2"));
  write_bytes(folder, "b.pgm", pgm(1, 2, "\1\2"));

  expect_phrase(load_failure(folder.path()), "b.pgm: is 2 x 1 pixels, expected 1 x 2 as a.pgm.");
}

TEST(ImageFolder, NamesAnImageThatIsDamaged) {
  const TemporaryFolder folder;
  write_bytes(folder, "a.png", "no image at all");
  expect_phrase(load_failure(folder.path()),
                "a.png: is not an image that can be read (PNG, JPEG, TIFF or binary PGM): ");
  write_bytes(folder, "a.png", "");
  expect_phrase(load_failure(folder.path()),
                "a.png: is not an image that can be read (PNG, JPEG, TIFF or binary PGM): ");
  const std::string whole = png(3, 2, "\x0a\x14\x1e\x28\x32\x3c");
  write_bytes(folder, "a.png", whole.substr(0, 60));
  expect_phrase(load_failure(folder.path()),
                "a.png: is not an image that can be read (PNG, JPEG, TIFF or binary PGM): ");
}

TEST(ImageFolder, NeedsNoMemoryForWhatAnImageOnlyPromises) {
  const TemporaryFolder folder;
  write_bytes(folder, "a.png", png(20'000, 20'000, std::string(20'000, '\0')));

  expect_phrase(load_failure(folder.path()), "it promises 20000 x 20000 pixels, but");
}

TEST(Folder, OfNeitherKindIsRefused) {
  const TemporaryFolder folder;
  write_bytes(folder, "readme.txt", "nothing here");

  expect_phrase(load_failure(folder.path()),
                "is a folder in which there is neither matrix.mtx (10x) nor an image");
}

}  // namespace
}  // namespace anmf::io::folder_test
