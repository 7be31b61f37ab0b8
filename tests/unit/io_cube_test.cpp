// SPDX-License-Identifier: MIT
// Arrays of three axes in every format that holds them, against loops over their indices.
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/dense_stream.h"
#include "support/hdf5_writer.h"
#include "support/matlab_writer.h"
#include "support/reader_test.h"
#include "support/zip_writer.h"

namespace anmf::io::cube_test {
namespace {

using io_test::expect_phrase;
using io_test::Hdf5Writer;
using io_test::load_failure;
using io_test::MatlabWriter;
using io_test::npy;
using io_test::stored;
using test::as_read;
using test::matrix_of;
namespace fs = std::filesystem;

/// Images of height x width pixels, as many as bands.
struct Scene {
  Index height = 3;
  Index width = 4;
  Index bands = 2;

  [[nodiscard]] double value(Index i, Index j, Index k) const {
    return static_cast<double>((i * width + j) * bands + k + 1);
  }
  [[nodiscard]] Matrix<double> matrix() const {
    Matrix<double> M(height * width, bands);
    for (Index i = 0; i < height; ++i) {
      for (Index j = 0; j < width; ++j) {
        for (Index k = 0; k < bands; ++k) M(i * width + j, k) = value(i, j, k);
      }
    }
    return M;
  }
  [[nodiscard]] std::vector<Index> shape(bool last) const {
    return last ? std::vector{bands, height, width} : std::vector{height, width, bands};
  }
  /// One after another as they are stored.
  [[nodiscard]] std::vector<double> entries(bool last, bool fortran) const {
    const std::vector<Index> n = shape(last);
    std::vector<double> result;
    const auto add = [&](Index a, Index b, Index c) {
      result.push_back(last ? value(b, c, a) : value(a, b, c));
    };
    for (Index x = 0; x < n[fortran ? 2 : 0]; ++x) {
      for (Index y = 0; y < n[1]; ++y) {
        for (Index z = 0; z < n[fortran ? 0 : 2]; ++z) fortran ? add(z, y, x) : add(x, y, z);
      }
    }
    return result;
  }
  template <class Size>
  [[nodiscard]] std::vector<Size> sizes(bool last) const {
    const std::vector<Index> n = shape(last);
    return {n.begin(), n.end()};
  }
};

template <class S>
std::string npy_of(const Scene& scene, const std::string& descr, bool last, bool fortran,
                   bool swapped = false) {
  std::string data;
  for (const double value : scene.entries(last, fortran)) data += stored<S>({static_cast<S>(value)}, swapped);
  const std::vector<Index> n = scene.shape(last);
  return npy("{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") + ", 'shape': (" +
                 std::to_string(n[0]) + ", " + std::to_string(n[1]) + ", " + std::to_string(n[2]) + "), }\n",
             data);
}

class Cubes : public io_test::ReaderTest {
 protected:
  /// Whatever is said, if the file has its axes so.
  static void expect_scene(const std::string& at, const Scene& scene, bool last) {
    SCOPED_TRACE(at + (last ? ", pixels last" : ", pixels first"));
    const Cube cube = last ? Cube::pixels_last : Cube::pixels_first;
    const LoadedMatrix<double> loaded = load<double>(open(at, TextLines::automatic, cube));
    EXPECT_EQ(as_read(loaded), scene.matrix());
    EXPECT_EQ(loaded.images.height, scene.height);
    EXPECT_EQ(loaded.images.width, scene.width);
    EXPECT_FALSE(loaded.images.guessed);
    const LoadedMatrix<float> narrow = load<float>(open(at, TextLines::automatic, cube));
    EXPECT_EQ(narrow.data->rows(), scene.height * scene.width);
    EXPECT_EQ(narrow.data->norm(), load<float>(open(at, TextLines::automatic, cube)).data->norm());
    if (last) return;
    const LoadedMatrix<double> guessed = load<double>(at);
    EXPECT_EQ(as_read(guessed), scene.matrix());
    EXPECT_TRUE(guessed.images.guessed);
  }

  /// As a whole, and part by part, in blocks of 48 lines and of all.
  static void expect_blocks(const fs::path& at, const Scene& scene, Cube cube) {
    const Matrix<double> M = scene.matrix();
    const MatrixFile file = open(at, TextLines::automatic, cube);
    ASSERT_TRUE(file.comes_in_blocks());
    for (const double most_bytes : {0.0, 1e9}) {
      EXPECT_EQ(as_read(collect(*open_blocks<double>(file, most_bytes))), M);
      const Part part = {.rows = {37, M.rows() - 40}, .cols = {1, M.cols() - 2}};
      const Matrix<double> found = as_read(collect(*open_part<double>(file, part, most_bytes)));
      ASSERT_EQ(found.rows(), part.rows.count);
      for (Index i = 0; i < found.rows(); ++i) {
        for (Index j = 0; j < found.cols(); ++j) ASSERT_EQ(found(i, j), M(37 + i, 1 + j)) << i << ' ' << j;
      }
    }
    EXPECT_EQ(read_annotations(file).images.height, scene.height);
    EXPECT_EQ(read_annotations(file).images.width, scene.width);
    // The rows or columns that anmf convert writes.
    const std::optional<DenseStream> stream = open_dense_stream(file);
    ASSERT_TRUE(stream.has_value());
    EXPECT_EQ(stream->images.width, scene.width);
    EXPECT_EQ(stream->by_columns, cube == Cube::pixels_last);
    const auto& lines = std::get<DenseRows<double>>(stream->lines);
    Matrix<double> all(lines.rows, lines.cols);
    Index done = 0;
    lines.for_each_block([&](ConstMatrixView<double> block) {
      for (Index i = 0; i < block.rows; ++i, ++done)
        std::copy_n(block.row(i), block.cols, all.view().row(done));
    });
    EXPECT_EQ(stream->by_columns ? transposed(all) : all, M);
  }
};

TEST_F(Cubes, OfNumpyHaveARowForEachPixelInEitherOrder) {
  const Scene scene;
  for (const bool last : {false, true}) {
    for (const bool fortran : {false, true}) {
      expect_scene(written("x.npy", npy_of<double>(scene, "<f8", last, fortran)), scene, last);
      expect_scene(written("x.npy", npy_of<float>(scene, "<f4", last, fortran)), scene, last);
      expect_scene(written("x.npy", npy_of<std::uint8_t>(scene, "|u1", last, fortran)), scene, last);
      expect_scene(written("x.npy", npy_of<std::int16_t>(scene, ">i2", last, fortran, true)), scene, last);
      expect_scene(written("x.npz", io_test::zip_archive(
                                        {{"a.npy", npy("{'descr': '|u1', 'fortran_order': "
                                                       "False, 'shape': (3,), }\n",
                                                       "abc")},
                                         {"c.npy", npy_of<float>(scene, "<f4", last, fortran), true}})),
                   scene, last);
    }
  }
}

TEST_F(Cubes, OfMatlabHaveARowForEachPixel) {
  const Scene scene;
  for (const bool last : {false, true}) {
    for (const mat_ft version : {MAT_FT_MAT5, MAT_FT_MAT73}) {
      fs::remove(path("x.mat"));
      {
        const MatlabWriter file(path("x.mat"), version);
        file.doubles("C", scene.sizes<std::size_t>(last), scene.entries(last, true));
        file.doubles("rate", {1, 1}, {0.5});
        const std::vector<double> entries = scene.entries(last, true);
        file.matrix<std::uint8_t>("u", MAT_C_UINT8, MAT_T_UINT8, scene.sizes<std::size_t>(last),
                                  {entries.begin(), entries.end()}, MAT_COMPRESSION_ZLIB);
      }
      expect_scene(path("x.mat").string() + "::C", scene, last);
      expect_scene(path("x.mat").string() + "::u", scene, last);
      expect_phrase(load_failure(path("x.mat")), "holds the matrices C, u; choose one, as in x.mat::C.");
    }
  }
}

TEST_F(Cubes, OfHdf5HaveARowForEachPixelWhereverTheyAreCut) {
  const Scene scene = {.height = 7, .width = 5, .bands = 4};
  const hid_t chunked = H5Pcreate(H5P_DATASET_CREATE);
  const std::vector<hsize_t> chunk = {2, 3, 3};
  H5Pset_chunk(chunked, 3, chunk.data());
  H5Pset_deflate(chunked, 1);
  for (const bool last : {false, true}) {
    for (const hid_t creation : {static_cast<hid_t>(H5P_DEFAULT), chunked}) {
      Hdf5Writer(path("x.h5"))
          .numbers("cube", scene.sizes<hsize_t>(last), scene.entries(last, false), H5T_STD_U16BE, creation);
      expect_scene(path("x.h5"), scene, last);
    }
  }
  H5Pclose(chunked);
}

TEST_F(Cubes, ComeInBlocksAndPartsWhereTheirPixelsLieTogether) {
  const Scene scene = {.height = 11, .width = 13, .bands = 50};
  const hid_t chunked = H5Pcreate(H5P_DATASET_CREATE);
  const std::vector<hsize_t> chunk = {4, 6, 9};
  H5Pset_chunk(chunked, 3, chunk.data());
  for (const Cube cube : {Cube::automatic, Cube::pixels_first, Cube::pixels_last}) {
    const bool last = cube == Cube::pixels_last;
    expect_blocks(written("x.npy", npy_of<double>(scene, "<f8", last, false)), scene, cube);
    for (const hid_t creation : {static_cast<hid_t>(H5P_DEFAULT), chunked}) {
      Hdf5Writer(path("x.h5"))
          .numbers("cube", scene.sizes<hsize_t>(last), scene.entries(last, false), H5T_NATIVE_DOUBLE,
                   creation);
      expect_blocks(path("x.h5"), scene, cube);
    }
  }
  H5Pclose(chunked);
}

TEST_F(Cubes, InFortranOrderComeAsAWholeAndTellTheirSize) {
  const Scene scene;
  for (const bool last : {false, true}) {
    const fs::path at = written("x.npy", npy_of<float>(scene, "<f4", last, true));
    const MatrixFile file = open(at, TextLines::automatic, last ? Cube::pixels_last : Cube::pixels_first);
    EXPECT_FALSE(file.comes_in_blocks());
    EXPECT_FALSE(file.comes_in_parts());
    EXPECT_EQ(open_blocks<double>(file, 0), nullptr);
    EXPECT_FALSE(open_dense_stream(file).has_value());
    const auto sizes = stored_sizes<double>(file);
    ASSERT_TRUE(sizes.has_value());
    EXPECT_EQ(sizes->rows, 12);
    EXPECT_EQ(sizes->cols, 2);
    EXPECT_EQ(sizes->entries, 24);
    EXPECT_EQ(sizes->entry_bytes, 4U);
  }
}

TEST_F(Cubes, LoseTheirImagesWithSomeOfTheirPixels) {
  const Scene scene;
  const auto loaded = load<double>(written("x.npy", npy_of<double>(scene, "<f8", false, false)));
  EXPECT_EQ(select(loaded, {}, std::vector<Index>{1}).images.height, 3);
  EXPECT_EQ(select(loaded, std::vector<Index>{0, 1}, {}).images.height, 0);
}

TEST_F(Cubes, AreRefusedWhereThereAreNone) {
  const std::string none = "holds a matrix, and not an array of three axes of which two could be pixels.";
  const auto refused = [&](const fs::path& at) {
    return load_failure(at, TextLines::automatic, Cube::pixels_last);
  };
  expect_phrase(
      refused(written("x.npy", npy("{'descr': '|u1', 'fortran_order': False, 'shape': (1, 2), }\n", "ab"))),
      none);
  expect_phrase(refused(written("x.csv", "1,2\n3,4\n")), none);
  Hdf5Writer(path("x.h5")).numbers("M", {1, 2}, {1, 2});
  expect_phrase(refused(path("x.h5")), none);
  MatlabWriter(path("x.mat")).sparse("S");
  expect_phrase(refused(path("x.mat")), none);
  write_npz<double>(
      path("x.npz"),
      view_of(Csr<double>{.rows = 1, .cols = 1, .offsets = {0, 1}, .indices = {0}, .values = {1}}));
  expect_phrase(refused(path("x.npz")), none);
}

}  // namespace
}  // namespace anmf::io::cube_test
