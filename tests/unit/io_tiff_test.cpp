// SPDX-License-Identifier: MIT
// Stacks of grey images in TIFF files; tests/io_python reads what other programs write.
#include <cstdint>
#include <string>
#include <vector>

#include "support/reader_test.h"
#include "support/tiff_writer.h"

namespace anmf::io::tiff_test {
namespace {

using io_test::expect_phrase;
using io_test::load_failure;
using io_test::stored;
using io_test::tiff;
using io_test::TiffPageBytes;
using test::as_read;
using test::matrix_of;
using namespace std::string_literals;

class TiffStacks : public io_test::ReaderTest {
 protected:
  void expect_stack(const std::vector<TiffPageBytes>& pages, std::size_t entry_bytes) const {
    const MatrixFile file = open(written("x.tif", tiff(pages)));
    EXPECT_EQ(file.format(), "TIFF");
    const LoadedMatrix<double> loaded = load<double>(file);
    EXPECT_EQ(as_read(loaded), matrix_of<double>(6, 2, {1, 7, 2, 8, 3, 9, 4, 10, 5, 11, 6, 12}));
    EXPECT_EQ(as_read(load<float>(file)), matrix_of<float>(6, 2, {1, 7, 2, 8, 3, 9, 4, 10, 5, 11, 6, 12}));
    EXPECT_EQ(loaded.images.height, 2);
    EXPECT_EQ(loaded.images.width, 3);
    EXPECT_FALSE(loaded.images.guessed);
    const auto sizes = stored_sizes<double>(file);
    ASSERT_TRUE(sizes.has_value());
    EXPECT_EQ(sizes->rows, 6);
    EXPECT_EQ(sizes->cols, 2);
    EXPECT_EQ(sizes->entry_bytes, entry_bytes);
    EXPECT_FALSE(file.comes_in_blocks());
  }
};

TEST_F(TiffStacks, HaveAPageInEveryColumn) {
  expect_stack({{.pixels = "\1\2\3\4\5\6"s}, {.pixels = "\7\10\11\12\13\14"s}}, 1);
  expect_stack({{.pixels = stored<std::uint16_t>({1, 2, 3, 4, 5, 6}), .bits = 16},
                {.pixels = stored<std::uint16_t>({7, 8, 9, 10, 11, 12}), .bits = 16}},
               2);
  expect_stack({{.pixels = stored<std::uint32_t>({1, 2, 3, 4, 5, 6}), .bits = 32},
                {.pixels = stored<std::uint32_t>({7, 8, 9, 10, 11, 12}), .bits = 32}},
               8);
  expect_stack({{.pixels = stored<float>({1, 2, 3, 4, 5, 6}), .bits = 32, .format = 3},
                {.pixels = stored<float>({7, 8, 9, 10, 11, 12}), .bits = 32, .format = 3}},
               4);
  expect_stack({{.pixels = stored<double>({1, 2, 3, 4, 5, 6}), .bits = 64, .format = 3},
                {.pixels = stored<double>({7, 8, 9, 10, 11, 12}), .bits = 64, .format = 3}},
               8);
}

TEST_F(TiffStacks, MayHaveNegativeFloatsClipped) {
  const auto path = written(
      "x.tif", tiff({{.pixels = stored<float>({1, -2}), .height = 1, .width = 2, .bits = 32, .format = 3}}));
  expect_phrase(load_failure(path), "x.tif: M[1, 0] = -2 is negative");
  const LoadedMatrix<double> loaded = load<double>(path, Negative::clip);
  EXPECT_EQ(as_read(loaded), matrix_of<double>(2, 1, {1, 0}));
  EXPECT_EQ(loaded.clipped, 1);
}

TEST_F(TiffStacks, SayWhatIsTooLargeForSinglePrecision) {
  const auto path = written(
      "x.tif",
      tiff({{.pixels = stored<double>({1, 1e300}), .height = 1, .width = 2, .bits = 64, .format = 3}}));
  expect_phrase(io_test::message_of<InvalidInput>([&] { static_cast<void>(load<float>(path)); }),
                "x.tif: M[1, 0] = 1e+300 is too large for single precision.");
}

TEST_F(TiffStacks, AreImagesOfAFolderIfTheyHaveOnePage) {
  static_cast<void>(written("a.tif", tiff({{.pixels = "\1\2\3\4\5\6"s}})));
  static_cast<void>(
      written("b.TIFF", tiff({{.pixels = stored<std::uint16_t>({257, 0, 0, 0, 0, 9}), .bits = 16}})));
  const LoadedMatrix<double> loaded = load<double>(path(""));
  EXPECT_EQ(as_read(loaded), matrix_of<double>(6, 2, {257, 257, 514, 0, 771, 0, 1028, 0, 1285, 0, 1542, 9}));
  EXPECT_EQ(loaded.images.width, 3);
  static_cast<void>(written("c.tif", tiff({{.pixels = "abcdef"}, {.pixels = "abcdef"}})));
  expect_phrase(load_failure(path("")),
                "c.tif: has 2 pages of 8 bits, expected one page of 8 or 16 bits in a folder");
}

TEST_F(TiffStacks, AreNotTakenForCubes) {
  expect_phrase(
      load_failure(written("x.tif", tiff({{.pixels = "abcdef"}})), TextLines::automatic, Cube::pixels_last),
      "holds a matrix, and not an array of three axes");
}

}  // namespace
}  // namespace anmf::io::tiff_test
