// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "anmf/io.h"
#include "io/text_fields.h"
#include "support/files_and_messages.h"
#include "support/loaded.h"

namespace anmf::io::table_test {
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

LoadedMatrix<double> load_text(std::string_view text, Header header = Header::automatic) {
  const TemporaryFolder folder;
  return load<double>(write_bytes(folder, "x", text), Negative::error, header);
}

void expect_table(std::string_view text, const Names& row_names, const Names& col_names,
                  Header header = Header::automatic) {
  SCOPED_TRACE(std::string(text));
  const LoadedMatrix<double> loaded = load_text(text, header);
  EXPECT_EQ(loaded.data->storage(), Storage::dense);
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
  expect_table(",7,8,9\nr,1,2.5,0\ns,.4,5,6\n", {"r", "s"}, {"7", "8", "9"});
  expect_table(",a,b,c\n1,1,2.5,0\n2,.4,5,6\n", {"1", "2"}, {"a", "b", "c"});
  expect_table(",0,1,2\n0,1,2.5,0\n1,.4,5,6\n", {"0", "1"}, {"0", "1", "2"});
  expect_table("a,,NA\n1,2.5,0\n.4,5,6\n", {}, {"a", "", "NA"});
  expect_table("\"a\" \"b\" \"c d\"\n\"r\" 1 2.5 0\n\"s \"\"t\"\"\" .4 5 6\n", {"r", "s \"t\""},
               {"a", "b", "c d"});
  expect_table("7,8,9\nr,1,2.5,0\ns,.4,5,6\n", {"r", "s"}, {"7", "8", "9"});
}

TEST(Table, TakesNumbersInQuotesForNamesBesideOthers) {
  expect_table("\"1\",b,\"3\"\n1,2.5,0\n.4,5,6", {}, {"1", "b", "3"});
  expect_table("\"7\",\"8\",\"9\"\n1,2.5,0\n.4,5,6", {}, {"7", "8", "9"});
  expect_table(",\"7\",\"8\",\"9\"\n\"1\",1,2.5,0\n\"2\",.4,5,6\n", {"1", "2"}, {"7", "8", "9"});
  expect_table("\"1\",\"2.5\",\"0\"\n\"0.4\",\"5\",\"6\"\n", {}, {});
}

void expect_ambiguous(std::string_view text, std::string_view found, std::string_view line = "1") {
  SCOPED_TRACE(std::string(text));
  expect_phrase(message_of<AmbiguousHeader>([&] { static_cast<void>(load_text(text)); }),
                "line " + std::string(line) + ": " + std::string(found) +
                    ", so that it cannot be told whether the line holds the names of columns or entries.");
}

TEST(Table, LosesNoRowThatCouldBeOfNames) {
  expect_ambiguous("1,NA,3\n4,5,6\n7,8,9\n", "field 2 is 'NA' and others are numbers");
  expect_ambiguous("1,,3\n4,5,6\n", "field 2 is empty and others are numbers");
  expect_ambiguous("1\t\t3\n4\t5\t6\n", "field 2 is empty and others are numbers");
  expect_ambiguous("\"1,000\",2\n3,4\n", "field 1 is '1,000' and others are numbers");
  expect_ambiguous("1,b,3\n1,2.5,0\n", "field 2 is 'b' and others are numbers");
  expect_ambiguous(",2,3\n4,5,6\n", "field 1 is empty and others are numbers");
  expect_ambiguous(",0,1\n0,1.5,2.5\n3,4,5\n", "field 1 is empty and others are numbers");
  expect_ambiguous(",7,8\n0,1.5,2.5\n1,4,5\n", "field 1 is empty and others are numbers");
  expect_ambiguous("NA,NA\n1,2\n", "field 1 is 'NA' and none is a number");
  expect_ambiguous("r,1,NA\ns,3,4\n", "field 3 is 'NA' and others are numbers");
  expect_ambiguous("name;2019;2020\ng;1;2\n", "'name' is followed by consecutive whole numbers");
  expect_ambiguous(gzip("\xef\xbb\xbf\r\n# x\n1,NA,3\r\n4,5,6\r\n"), "field 2 is 'NA' and others are numbers",
                   "3");
}

TEST(Table, BelievesWhatIsSaidOfTheFirstLine) {
  expect_table("1,NA,3\n1,2.5,0\n.4,5,6\n", {}, {"1", "NA", "3"}, Header::yes);
  expect_table("7,8,9\n1,2.5,0\n.4,5,6\n", {}, {"7", "8", "9"}, Header::yes);
  expect_table(",0,1,2\n0,1,2.5,0\n1,.4,5,6\n", {"0", "1"}, {"0", "1", "2"}, Header::yes);
  expect_table("name,2019,2020,2021\nr,1,2.5,0\ns,.4,5,6\n", {"r", "s"}, {"2019", "2020", "2021"},
               Header::yes);
  expect_table("7,8,9\n1,1,2.5,0\n2,.4,5,6\n", {"1", "2"}, {"7", "8", "9"}, Header::yes);
  expect_table("1,2.5,0\n.4,5,6\n", {}, {}, Header::no);
  EXPECT_EQ(as_read(load_text("r,1,2\ns,3,4\n", Header::no)), matrix_of<double>(2, 2, {1, 2, 3, 4}));

  const auto failure = [](std::string_view text, Header header) {
    return message_of<InvalidInput>([&] { static_cast<void>(load_text(text, header)); });
  };
  expect_phrase(failure("a,b\n1,2\n", Header::no), "line 1: field 1 is 'a', expected a number.");
  expect_phrase(failure("1,NA,3\n4,5,6\n", Header::no), "line 1: field 2 is 'NA', expected a number.");
  expect_phrase(failure(",2,3\n4,5,6\n", Header::no), "line 1: field 1 is empty, expected a number.");
  expect_phrase(failure("1,2,3\n", Header::yes), "line 1: the only line holds names");
}

TEST(Table, LosesNoColumnThatCouldBeOfNames) {
  const auto failure = [](std::string_view text) {
    return message_of<InvalidInput>([&] { static_cast<void>(load_text(text)); });
  };
  expect_phrase(failure("a,b\nNA,2\n3,4\n"), "line 2: field 1 is 'NA', expected a number.");
  expect_phrase(failure("a,b\n\"1,000\",2\n3,4\n"), "line 2: field 1 is '1,000', expected a number.");
  expect_phrase(failure("1,2,5\nx,3,4\n"), "line 2: field 1 is 'x', expected a number.");
  expect_phrase(failure("a\nx 3 4\n"), "line 2: 3 fields found, expected 1 as in line 1.");
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
}  // namespace anmf::io::table_test
