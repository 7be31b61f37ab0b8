// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "anmf/io.h"
#include "support/files_and_messages.h"
#include "support/loaded.h"

namespace anmf::io::sparse_text_test {
namespace {

using io_test::expect_phrase;
using io_test::gzip;
using io_test::message_of;
using io_test::TemporaryFolder;
using io_test::write_bytes;
using test::as_read;
using test::matrix_of;
using Names = std::vector<std::string>;

void expect_sparse(std::string_view text, const Matrix<double>& expected) {
  const TemporaryFolder folder;
  for (const std::string& bytes : {std::string(text), gzip(text)}) {
    const LoadedMatrix<double> loaded = load<double>(write_bytes(folder, "x", bytes));
    EXPECT_EQ(loaded.data->storage(), Storage::sparse);
    EXPECT_EQ(as_read(loaded), expected) << text;
  }
}

TEST(Svmlight, CountsIndicesFromOneOrFromZero) {
  const auto expected = matrix_of<double>(3, 3, {2, 0, 1, 0, 0.5, 0, 0, 0, 0});

  expect_sparse("1 1:2 3:1\n-1 2:.5\n+1\n", expected);
  expect_sparse("1 0:2 2:1\n-1 1:.5\n+1\n", expected);
  expect_sparse("# a comment\n1 qid:7 1:2 3:1 # more\r\n\r\n-1.5 2:.5\r\n0", expected);
}

TEST(Svmlight, IsRecognisedBelowALongComment) {
  expect_sparse("# 1\n# 2\n# 3\n#\n# 5\n0 1:1 2:2\n", matrix_of<double>(1, 2, {1, 2}));
}

TEST(Svmlight, AddsRepeatedIndicesInAnyOrder) {
  expect_sparse("0 3:1 1:1 3:2\n", matrix_of<double>(1, 3, {1, 0, 3}));
}

TEST(Svmlight, IsRefusedAsADenseMatrix) {
  const TemporaryFolder folder;
  const auto act = [&] { static_cast<void>(load_dense<double>(write_bytes(folder, "x", "1 1:2\n"))); };

  expect_phrase(message_of<InvalidInput>(act), "holds a sparse matrix, expected a dense one");
}

const auto kCluto = matrix_of<double>(3, 4, {1.5, 0, 0, 2, 0, 0, 0, 0, 0, 3, 0, 0});

TEST(Cluto, ReadsRowsOfPairs) {
  expect_sparse("3 4 3\n1 1.5 4 2\n\n2 3\n", kCluto);
  expect_sparse("3 4 3\r\n4 2 1 1.5 \r\n \r\n2 3\r\n\r\n", kCluto);
  expect_sparse("2 2 2\n1 1 2 1\n\n", matrix_of<double>(2, 2, {1, 1, 0, 0}));
}

TEST(Cluto, FindsTheNamesBesideIt) {
  const TemporaryFolder folder;
  write_bytes(folder, "x.mat.rlabel", "a\nb c\nd\n\n");
  write_bytes(folder, "x.mat.clabel", "1\n2\n3\n\xc3\xa9");
  const LoadedMatrix<float> loaded =
      load<float>(write_bytes(folder, "x.mat.gz", gzip("3 4 3\n1 1.5 4 2\n\n2 3\n")));

  EXPECT_EQ(loaded.row_names, (Names{"a", "b c", "d"}));
  EXPECT_EQ(loaded.col_names, (Names{"1", "2", "3", "\xc3\xa9"}));
}

TEST(Cluto, RefusesNamesThatDoNotFit) {
  const TemporaryFolder folder;
  const auto path = write_bytes(folder, "x.mat", "3 4 3\n1 1.5 4 2\n\n2 3\n");
  const auto act = [&] { static_cast<void>(load<double>(path)); };

  write_bytes(folder, "x.mat.clabel", "a\nb\nc\n");
  expect_phrase(message_of<InvalidInput>(act), "x.mat.clabel: 3 names found, expected 4.");
  write_bytes(folder, "x.mat.clabel", "a\nb\n\xff\nd\n");
  expect_phrase(message_of<InvalidInput>(act), "x.mat.clabel, line 3: the name '\\xff' is not UTF-8.");
}

TEST(BagOfWords, ReadsCounts) {
  expect_sparse("2\n3\n3\n1 1 2\n2 3 1\n2 3 4\n", matrix_of<double>(2, 3, {2, 0, 0, 0, 0, 5}));
}

TEST(BagOfWords, FindsItsVocabulary) {
  const TemporaryFolder folder;
  const std::string text = "2\n3\n2\n1 1 2\n2 3 1\n";
  write_bytes(folder, "vocab.nips.txt", "a\nb\nc\n");
  write_bytes(folder, "vocab.txt", "x\ny\nz\n");

  EXPECT_EQ(load<double>(write_bytes(folder, "docword.nips.txt", text)).col_names, (Names{"a", "b", "c"}));
  EXPECT_EQ(load<double>(write_bytes(folder, "docword.nips.txt.gz", gzip(text))).col_names,
            (Names{"a", "b", "c"}));
  EXPECT_EQ(load<double>(write_bytes(folder, "other.txt", text)).col_names, (Names{"x", "y", "z"}));
  EXPECT_TRUE(load<double>(write_bytes(folder, "docword.kos.txt", text)).col_names.empty());
}

TEST(TextFormats, AreNotTakenForEachOther) {
  const auto storage = [](std::string_view text) {
    const TemporaryFolder folder;
    return to_string(load<double>(write_bytes(folder, "x", text)).data->storage());
  };

  EXPECT_EQ(storage("1 2 3\n4 5 6\n"), "dense");
  EXPECT_EQ(storage("1 2 3\n"), "dense");
  EXPECT_EQ(storage("1\n2\n3\n4\n"), "dense");
  EXPECT_EQ(storage("1 1 1\n1 1\n"), "sparse");
  EXPECT_EQ(storage("a:b c:d\n1 2\n"), "dense");
}

}  // namespace
}  // namespace anmf::io::sparse_text_test
