// SPDX-License-Identifier: MIT
// Arrays of three axes and stacks of images, from the file to the report.
#include "program.h"
#include "report_page.h"
#include "support/files_and_messages.h"
#include "support/hdf5_writer.h"
#include "support/tiff_writer.h"

namespace anmf::test {
namespace {

/// A folder with M.npy of 30 x 20 as a cube of 5 x 6 x 20 and, its axes in another order, of 20 x 5 x 6.
class CubeFiles : public ProgramTest {
 protected:
  CubeFiles() {
    write_cube("first.npy", "(5, 6, 20)", M_, false);
    write_cube("last.npy", "(20, 5, 6)", transposed(M_), false);
    // i + 5 (j + 6 k) is where pixel (i, j) of band k stands.
    Matrix<double> fortran(20, 30);
    for (Index k = 0; k < 20; ++k) {
      for (Index j = 0; j < 6; ++j) {
        for (Index i = 0; i < 5; ++i) fortran(k, j * 5 + i) = M_(i * 6 + j, k);
      }
    }
    write_cube("fortran.npy", "(5, 6, 20)", fortran, true);
  }

  void write_cube(const std::string& name, const std::string& shape, const Matrix<double>& entries,
                  bool fortran) const {
    const std::string data(reinterpret_cast<const char*>(entries.data()),
                           static_cast<std::size_t>(entries.size()) * sizeof(double));
    const std::string order = fortran ? "True" : "False";
    write_text(
        file(name),
        io_test::npy("{'descr': '<f8', 'fortran_order': " + order + ", 'shape': " + shape + "}\n", data));
  }

  /// Factors of a few iterations, which must be those of M.npy.
  void expect_run_of_matrix(const std::string& input, const Arguments& further,
                            const Arguments& of_matrix = {}) {
    const auto run = [&](const std::string& name, const std::string& out, const Arguments& options) {
      const Outcome outcome =
          anmf(Arguments{"factorize", name, "--rank", "4", "--max-iterations", "5", "--out", out} + options);
      EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
      return outcome.err;
    };
    static_cast<void>(run("M.npy", "expected", of_matrix));
    notes_ = run(input, "out", further);
    for (const char* factor : {"/W.npy", "/H.npy"})
      EXPECT_EQ(read_text(file("out" + std::string(factor))),
                read_text(file("expected" + std::string(factor))));
  }

  std::string notes_;
};

const std::string kGuess =
    "note: The array of 5 x 6 x 20 is taken for images of 5 x 6 pixels, its first two axes; --cube "
    "pixels-last "
    "takes the last two, and pixels-first goes without this note.\n";

TEST_F(CubeFiles, AreFactorizedAsPixelsTimesBands) {
  expect_run_of_matrix("first.npy", {});
  EXPECT_TRUE(contains(notes_, kGuess));
  expect_run_of_matrix("first.npy", {"--cube", "pixels-first"});
  EXPECT_EQ(notes_.find("taken for images"), std::string::npos) << notes_;
  expect_run_of_matrix("last.npy", {"--cube", "pixels-last"});
  EXPECT_EQ(notes_.find("taken for images"), std::string::npos) << notes_;
  expect_run_of_matrix("fortran.npy", {});
  EXPECT_TRUE(contains(notes_, kGuess));
  expect_run_of_matrix("last.npy", {"--cube", "pixels-last", "--transpose"}, {"--transpose"});
}

TEST_F(CubeFiles, AreDrawnAsImages) {
  if (!report::has_report_page()) GTEST_SKIP() << "built with ANMF_REPORT=OFF";
  const auto expect_images = [&](const std::string& side) {
    const auto images = read_report(file("out/report.html"))["images"];
    EXPECT_EQ(images["height"], 5);
    EXPECT_EQ(images["width"], 6);
    EXPECT_EQ(images["side"], side);
    EXPECT_EQ(images["pixels"], read_report(file("expected/report.html"))["images"]["pixels"]);
  };
  const Arguments shape = {"--image-shape", "5x6"};
  for (const char* name : {"first.npy", "fortran.npy"}) {
    expect_run_of_matrix(name, {}, shape);
    expect_images("rows");
  }
  expect_run_of_matrix("last.npy", {"--cube", "pixels-last", "--transpose"},
                       shape + Arguments{"--transpose"});
  expect_images("columns");
}

TEST_F(CubeFiles, MayBeStacksOfTiff) {
  std::vector<io_test::TiffPageBytes> pages;
  for (Index k = 0; k < 20; ++k) {
    std::string pixels;
    for (Index i = 0; i < 30; ++i) pixels += io_test::stored<double>({M_(i, k)});
    pages.push_back({.pixels = pixels, .height = 5, .width = 6, .bits = 64, .format = 3});
  }
  write_text(file("stack.tif"), io_test::tiff(pages));
  expect_run_of_matrix("stack.tif", {});
  EXPECT_EQ(notes_.find("taken for images"), std::string::npos) << notes_;
  EXPECT_TRUE(
      contains(complaint(2, {"factorize", "stack.tif", "--rank", "1", "--memory", "1Ki", "--out", "o"}),
               "cannot be read in blocks; anmf convert 'stack.tif' M.npy makes a file that can."));
  EXPECT_TRUE(contains(anmf({"info", "stack.tif"}).out, "images          of 5 x 6 pixels, a column each\n"));
}

TEST_F(CubeFiles, AreDescribed) {
  const auto info = [&](const Arguments& arguments) {
    return nlohmann::json::parse(anmf(Arguments{"info", "--json"} + arguments).out);
  };
  EXPECT_EQ(info({"first.npy"})["image_shape"], nlohmann::json({5, 6}));
  EXPECT_EQ(info({"first.npy"})["rows"], 30);
  EXPECT_EQ(info({"first.npy"})["cols"], 20);
  EXPECT_EQ(info({"first.npy", "--cube", "pixels-last"})["image_shape"], nlohmann::json({6, 20}));
  EXPECT_TRUE(info({"M.npy"})["image_shape"].is_null());
  EXPECT_TRUE(
      contains(anmf({"info", "first.npy"}).out,
               "images          of 5 x 6 pixels, a column each: the first two axes (--cube pixels-last "
               "takes the last two)\n"));
}

TEST_F(CubeFiles, AreConvertedToTheirMatrix) {
  io_test::Hdf5Writer(file("first.h5")).numbers("cube", {5, 6, 20}, {M_.values().begin(), M_.values().end()});
  for (const Arguments& input : {Arguments{"first.npy"}, Arguments{"last.npy", "--cube", "pixels-last"},
                                 Arguments{"fortran.npy"}, Arguments{"first.h5"}}) {
    for (const char* out : {"out.npy", "out.mtx", "out.anmf", "out.csv"}) {
      const Outcome outcome =
          anmf(Arguments{"convert", input[0], out} + Arguments(input.begin() + 1, input.end()));
      ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
      EXPECT_TRUE(contains(outcome.out, "matrix          30 x 20\n"));
      EXPECT_TRUE(contains(outcome.out, "no format has a place for that: --image-shape 5x6\n"));
      ASSERT_EQ(anmf({"convert", out, "back.npy", "--dense"}).exit_code, 0);
      EXPECT_EQ(io::read_npy<double>(file("back.npy")), M_) << input[0] << ' ' << out;
    }
  }
}

TEST_F(CubeFiles, StayOnDiskWhereTheirPixelsLieTogether) {
  const Matrix<double> M = random_matrix(2000, 500, 2);
  io::write_npy<double>(file("M.npy"), M.view());
  write_cube("first.npy", "(40, 50, 500)", M, false);
  write_cube("last.npy", "(500, 40, 50)", transposed(M), false);
  write_cube("fortran.npy", "(500, 50, 40)", M, true);
  io_test::Hdf5Writer(file("first.h5"))
      .numbers("cube", {40, 50, 500}, {M.values().begin(), M.values().end()});
  const auto factors = [&](const Arguments& further) {
    const Outcome outcome = anmf(Arguments{"factorize", "--rank", "3", "--max-iterations", "3", "--init",
                                           "random", "--no-report", "--no-bound", "--out", "out"} +
                                 further);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return io::read_npy<double>(file("out/H.npy"));
  };
  const Matrix<double> expected = factors({"M.npy"});
  for (const Arguments& input : {Arguments{"first.npy", "--memory", "27M"},
                                 Arguments{"last.npy", "--memory", "27M", "--cube", "pixels-last"},
                                 Arguments{"first.h5", "--memory", "33M"}}) {
    const Matrix<double> found = factors(input);
    ASSERT_EQ(found.size(), expected.size());
    for (Index k = 0; k < found.size(); ++k)
      ASSERT_NEAR(found.data()[k], expected.data()[k], 1e-9) << input[0];
    EXPECT_FALSE(read_json(file("out/run.json"))["stream"].is_null()) << input[0];
  }
  EXPECT_TRUE(
      contains(complaint(2, {"factorize", "fortran.npy", "--rank", "3", "--memory", "25M", "--out", "o"}),
               "cannot be read in blocks; anmf convert 'fortran.npy' M.npy makes a file that can."));
}

TEST_F(CubeFiles, AreRefusedBeforeAnyWorkWhereThereAreNone) {
  write_text(file("t.csv"), "1,2\n3,4\n");
  for (const char* name : {"M.npy", "t.csv"}) {
    EXPECT_TRUE(
        contains(complaint(3, {"factorize", name, "--rank", "1", "--cube", "pixels-last", "--out", "o"}),
                 "holds a matrix, and not an array of three axes of which two could be pixels."));
  }
  EXPECT_TRUE(contains(complaint(2, {"info", "first.npy", "--cube", "pixels"}), "--cube"));
  EXPECT_FALSE(std::filesystem::exists(file("o")));
}

}  // namespace
}  // namespace anmf::test
