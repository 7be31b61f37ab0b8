// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "anmf/io.h"
#include "io/text_fields.h"
#include "support/files_and_messages.h"
#include "support/loaded.h"

namespace anmf::io {
namespace {

using io_test::expect_phrase;
using io_test::gzip;
using io_test::message_of;
using io_test::TemporaryFolder;
using io_test::write_bytes;
using test::as_read;
using test::matrix_of;
using Names = std::vector<std::string>;

const Matrix<double> kMatrix = matrix_of<double>(2, 3, {1, 2.5, 0, 4e-1, 5, 6});

LoadedMatrix<double> load_text(std::string_view text, const std::string& name = "x") {
  const TemporaryFolder folder;
  return load<double>(write_bytes(folder, name, text));
}

void expect_table(std::string_view text, const Names& row_names, const Names& col_names) {
  SCOPED_TRACE(std::string(text));
  const LoadedMatrix<double> loaded = load_text(text);
  EXPECT_EQ(loaded.data->storage(), "dense");
  EXPECT_EQ(as_read(loaded), kMatrix);
  EXPECT_EQ(loaded.row_names, row_names);
  EXPECT_EQ(loaded.col_names, col_names);
}

TEST(Table, FindsTheSeparator) {
  expect_table("1,2.5,0\n.4,5,6\n", {}, {});
  expect_table("1\t2.5\t0\n.4\t5\t6\n", {}, {});
  expect_table("1;2.5;0\n.4;5;6\n", {}, {});
  expect_table("  1 2.5   0\n.4 \t5 6 \n", {}, {});
  expect_table("\"1,5\"\tb,c\td;e\n1\t2.5\t0\n.4\t5\t6\n", {}, {"1,5", "b,c", "d;e"});
}

TEST(Table, FindsNames) {
  expect_table("a,b,c\n1,2.5,0\n.4,5,6", {}, {"a", "b", "c"});
  expect_table("r,1,2.5,0\ns,.4,5,6\n", {"r", "s"}, {});
  expect_table("x,a,b,c\nr,1,2.5,0\ns,.4,5,6\n", {"r", "s"}, {"a", "b", "c"});
  expect_table(",a,b,c\nr,1,2.5,0\ns,.4,5,6\n", {"r", "s"}, {"a", "b", "c"});
  expect_table(",7,8,9\n1,1,2.5,0\n2,.4,5,6\n", {"1", "2"}, {"7", "8", "9"});
  expect_table("\"a\" \"b\" \"c d\"\n\"r\" 1 2.5 0\n\"s \"\"t\"\"\" .4 5 6\n", {"r", "s \"t\""},
               {"a", "b", "c d"});
  expect_table("1,b,3\n1,2.5,0\n.4,5,6", {}, {"1", "b", "3"});
}

TEST(Table, SkipsWhatCarriesNoNumbers) {
  expect_table(
      "\xef\xbb\xbf"
      "a,b,c\r\n1,2.5,0\r\n\r\n.4,5,6\r\n\r\n",
      {}, {"a", "b", "c"});
  expect_table("# made by\n# somebody\n1 2.5 0\n\n.4 5 6\n", {}, {});
  expect_table("# 1 a\n# 2 b\n# 3 c\n# 4 d\n# 5 e\n1 2.5 0\n.4 5 6\n", {}, {});
  expect_table("# a\n# b\n# c\n# d\n# e\n1 2.5 0\n.4 5 6\n", {}, {});
  expect_table("#id\ta\tb\tc\nr\t1\t2.5\t0\ns\t.4\t5\t6\n", {"r", "s"}, {"a", "b", "c"});
}

TEST(Table, ReadsGzipAndOneColumnAndOneRow) {
  EXPECT_EQ(as_read(load_text(gzip("1,2.5,0\n.4,5,6\n"))), kMatrix);
  EXPECT_EQ(as_read(load_text("1\n2\n3\n")), matrix_of<double>(3, 1, {1, 2, 3}));
  EXPECT_EQ(as_read(load_text("1,2,3")), matrix_of<double>(1, 3, {1, 2, 3}));
  EXPECT_EQ(load_text("depth\n1\n2\n").col_names, Names{"depth"});
}

TEST(Table, ReadsLinesLongerThanTheUsualBuffer) {
  std::string text = "name";
  constexpr Index kCols = 300'000;
  for (Index j = 0; j < kCols; ++j) text.append(",c").append(std::to_string(j));
  for (const char* row : {"\nr", "\ns"}) {
    text += row;
    for (Index j = 0; j < kCols; ++j)
      text.append(",").append(std::to_string(j % 1000 + (row[1] == 's' ? 1 : 0)));
  }

  const TemporaryFolder folder;
  for (const std::string& bytes : {text, gzip(text)}) {
    const Table<float> table = read_table<float>(write_bytes(folder, "x.csv.gz", bytes));
    ASSERT_EQ(table.matrix.rows(), 2);
    ASSERT_EQ(table.matrix.cols(), kCols);
    EXPECT_EQ(table.matrix(1, kCols - 1), 1000);
    EXPECT_EQ(table.col_names.back(), "c299999");
  }
}

TEST(Table, IsReadAsADenseMatrixToo) {
  const TemporaryFolder folder;
  EXPECT_EQ(load_dense<double>(write_bytes(folder, "x.csv", "a,b,c\n1,2.5,0\n.4,5,6\n")), kMatrix);
}

TEST(Table, NeedsNoMemoryForRowsThatAreTooShort) {
  std::string text(1'000'000, ',');
  for (char& c : text) c = (&c - text.data()) % 2 == 0 ? '1' : ',';
  text += "1\n";
  for (int i = 0; i < 1'000'000; ++i) text += "1\n";
  const auto act = [&] { static_cast<void>(load_text(text)); };

  expect_phrase(message_of<InvalidInput>(act), "line 2: 1 field found, expected 500001 as in line 1.");
}

TEST(Utf8, IsToldFromOtherBytes) {
  for (const char* good : {"", "abc", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x90\x88", "\xed\x9f\xbf"}) {
    EXPECT_TRUE(is_utf8(good)) << good;
  }
  for (const char* bad : {"\xe9", "\xc3", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80",
                          "\xff", "a\x80", "\xe2\x82"}) {
    EXPECT_FALSE(is_utf8(bad)) << bad;
  }
}

}  // namespace
}  // namespace anmf::io
