// SPDX-License-Identifier: MIT
// The table of formats, and files that are recognised once.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "anmf/io.h"
#include "io/formats.h"
#include "io/gzip_stream.h"
#include "support/files_and_messages.h"
#include "support/loaded.h"
#include "support/problems.h"
#include "support/tiff_writer.h"

namespace anmf::io {
namespace {

using namespace io_test;
using namespace test;

/// The same matrix in a file of every format that is written, and in texts.
class OpenedFiles : public testing::Test {
 protected:
  OpenedFiles() {
    const Matrix<double> M = matrix_of<double>(3, 4, {1, 0, 2, 0, 0, 0, 0, 3, 4, 5, 0, 0});
    for (const char* name : {"M.npy", "M.npz", "M.h5ad", "M.mtx", "M.csv", "M.tsv.gz", "M.anmf"})
      save<double>(folder_.path() / name, M.view());
    write_bytes(folder_, "M.svm", "1 1:1 3:2\n0 4:3\n1 1:4 2:5\n");
    write_bytes(folder_, "M.cluto", "3 4 5\n1 1 3 2\n4 3\n1 4 2 5\n");
    write_bytes(folder_, "docword.M.txt", "3\n4\n5\n1 1 1\n1 3 2\n2 4 3\n3 1 4\n3 2 5\n");
    std::filesystem::create_directory(folder_.path() / "10x");
    std::filesystem::copy(folder_.path() / "M.mtx", folder_.path() / "10x" / "matrix.mtx");
    std::vector<TiffPageBytes> pages;
    for (Index j = 0; j < 4; ++j) {
      const auto at = [&](Index i) { return static_cast<float>(M(i, j)); };
      pages.push_back(
          {.pixels = stored<float>({at(0), at(1), at(2)}), .height = 3, .width = 1, .bits = 32, .format = 3});
    }
    write_bytes(folder_, "M.tif", tiff(pages));
    write_bytes(folder_, "M.mtx.gz", gzip(read_bytes(folder_.path() / "M.mtx")));
  }

  [[nodiscard]] std::filesystem::path file(const std::string& name) const { return folder_.path() / name; }

  TemporaryFolder folder_;
  const std::map<std::string, std::string> formats_ = {
      {"M.npy", ".npy"},     {"M.npz", ".npz"},
      {"M.h5ad", "HDF5"},    {"M.mtx", "Matrix Market"},
      {"M.csv", "table"},    {"M.tsv.gz", "table"},
      {"M.anmf", ".anmf"},   {"M.svm", "svmlight"},
      {"M.cluto", "CLUTO"},  {"docword.M.txt", "bag of words"},
      {"10x", "10x folder"}, {"M.mtx.gz", "Matrix Market"},
      {"M.tif", "TIFF"}};
};

TEST(Formats, HaveNamesOfTheirOwn) {
  std::set<std::string_view> names;
  for (const Format<double>& format : formats<double>()) {
    EXPECT_TRUE(names.insert(format.name).second) << format.name;
    const int ways =
        (format.has_mark != nullptr) + (format.has_shape != nullptr) + (format.is_folder != nullptr);
    EXPECT_EQ(ways, 1) << format.name;
    EXPECT_FALSE(format.part != nullptr && format.blocks == nullptr) << format.name;
  }
  EXPECT_EQ(names.size(), formats<float>().size());
}

TEST_F(OpenedFiles, HaveTheBeginningOfOneFormatOnly) {
  for (const auto& [name, expected] : formats_) {
    if (std::filesystem::is_directory(file(name))) continue;
    const LineReader reader(file(name));
    std::vector<std::string_view> found;
    for (const Format<double>& format : formats<double>()) {
      for (const auto& matches : {format.has_mark, format.has_shape}) {
        if (matches != nullptr && matches(reader.peek())) found.push_back(format.name);
      }
    }
    EXPECT_EQ(found, std::vector<std::string_view>{expected}) << name;
  }
}

TEST_F(OpenedFiles, HaveTheFormatOfTheirContent) {
  for (const auto& [name, expected] : formats_) {
    EXPECT_EQ(open(file(name)).format(), expected);
    EXPECT_EQ(open(file(name)).is_table(), expected == "table");
  }
  // A mark decides before a shape, which here is that of a table.
  EXPECT_EQ(open(write_bytes(folder_, "cut.mat", "MATLAB 5.0")).format(), ".mat");
  std::filesystem::rename(file("M.npy"), file("renamed.mtx"));
  EXPECT_EQ(open(file("renamed.mtx")).format(), ".npy");
}

TEST_F(OpenedFiles, GiveTheSameMatrixInEveryWay) {
  const Matrix<double> M = as_read(load<double>(file("M.npy")));
  for (const auto& [name, format] : formats_) {
    SCOPED_TRACE(name);
    const MatrixFile opened = open(file(name));
    EXPECT_EQ(as_read(load<double>(opened)), M);
    const auto blocks = open_blocks<double>(opened, 1e6);
    EXPECT_EQ(opened.comes_in_blocks(), blocks != nullptr);
    if (blocks) {
      EXPECT_EQ(as_read(collect(*blocks)), M);
    }
    if (!blocks) {
      EXPECT_TRUE(read_annotations(opened).names.cols.empty());
    }
    // Beside the part are entries that only .npy leaves alone.
    EXPECT_EQ(opened.comes_in_parts(), format == ".npy");
  }
}

TEST_F(OpenedFiles, TellTheirSizeBeforeTheyAreRead) {
  for (const auto& [name, format] : formats_) {
    SCOPED_TRACE(name);
    const MatrixFile opened = open(file(name));
    const std::optional<StoredSizes> sizes = stored_sizes<float>(opened);
    ASSERT_NE(sizes.has_value(), opened.comes_in_blocks());
    if (!sizes) continue;
    EXPECT_EQ(sizes->rows, 3);
    if (format != "svmlight") {
      EXPECT_EQ(sizes->cols, 4);
    }
    const bool dense = format == "table" || format == ".npz" || format == "Matrix Market" ||
                       format == "10x folder" || format == "TIFF";
    EXPECT_EQ(sizes->sparse, !dense);
    EXPECT_EQ(sizes->entries, dense ? 12 : 5);
    EXPECT_EQ(sizes->entry_bytes, sizeof(float));
  }
}

TEST_F(OpenedFiles, AreNotRecognisedASecondTime) {
  const MatrixFile opened = open(file("M.npy"));
  std::filesystem::copy_file(file("M.csv"), file("M.npy"), std::filesystem::copy_options::overwrite_existing);

  const auto reading = [&] { static_cast<void>(load<double>(opened)); };

  EXPECT_EQ(open(file("M.npy")).format(), "table");
  expect_phrase(message_of<InvalidInput>(reading), "M.npy");
  expect_phrase(message_of<InvalidInput>(reading), "\\x93NUMPY");
}

TEST_F(OpenedFiles, KeepTheNameInsideTheFile) {
  const MatrixFile opened = open(file("M.npz").string() + "::arr_0");
  EXPECT_EQ(opened.location().file, file("M.npz"));
  EXPECT_EQ(opened.location().inside, "arr_0");
  EXPECT_EQ(opened.path(), file("M.npz").string() + "::arr_0");
  EXPECT_EQ(load<double>(opened).data->rows(), 3);
  for (const char* name : {"M.npy::a", "M.mtx::a", "10x::a"}) {
    expect_phrase(message_of<InvalidInput>([&] { static_cast<void>(open(file(name))); }),
                  "holds one matrix, which has no name; '::a' must be left out.");
  }
  EXPECT_THROW(static_cast<void>(open(file("absent.npy"))), IoError);
}

}  // namespace
}  // namespace anmf::io
