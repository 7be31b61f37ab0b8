// SPDX-License-Identifier: MIT
#include <string>
#include <string_view>
#include <vector>

#include "support/reader_test.h"

namespace anmf::io::triplets_test {
namespace {

using io_test::expect_phrase;
using io_test::gzip;
using io_test::load_failure;
using test::as_read;
using test::matrix_of;
using NameList = std::vector<std::string>;

// Users 9 and 196, items 2, 10 and 1000000000000.
const auto kRatings = matrix_of<double>(2, 3, {0, 3, 4, 5, 0, 0.5});
constexpr std::string_view kWithTimes =
    "196\t1000000000000\t."
    "5\t881250949\n9\t10\t3\t891717742\n196\t2\t5\t878887116\n9\t1000000000000\t4\t880606923\n";

std::string with_separator(std::string_view text, std::string_view separator) {
  std::string result;
  for (const char c : text) result += c == '\t' ? std::string(separator) : std::string(1, c);
  return result;
}

class TripletLines : public io_test::ReaderTest {
 protected:
  void expect_ratings(const std::string& text, TextLines lines) const {
    for (const std::string& bytes : {text, gzip(text)}) {
      const MatrixFile file = open(written("u.data", bytes), lines);
      EXPECT_EQ(file.format(), "triplets") << text;
      const LoadedMatrix<double> loaded = load<double>(file);
      EXPECT_EQ(loaded.data->storage(), Storage::sparse);
      EXPECT_EQ(as_read(loaded), kRatings) << text;
      EXPECT_EQ(loaded.row_names, (NameList{"9", "196"}));
      EXPECT_EQ(loaded.col_names, (NameList{"2", "10", "1000000000000"}));
      EXPECT_EQ(loaded.repeated, 0);
    }
  }
};

TEST_F(TripletLines, AreRecognisedByTheirTimes) {
  for (const char* separator : {"\t", ",", ";", " ", "::"})
    expect_ratings(with_separator(kWithTimes, separator), TextLines::automatic);
  expect_ratings("userId,movieId,rating,timestamp\r\n" + with_separator(kWithTimes, ","),
                 TextLines::automatic);
}

TEST_F(TripletLines, AreReadWithoutTimesIfTheCallerSaysSo) {
  expect_ratings("9 10 3\n9 1000000000000 4\n\n196 2 5\n196 1000000000000 .5\n", TextLines::triplets);
  expect_ratings("user,item,rating\n9,10,3\n9,1000000000000,4\n196,2,5\n196,1000000000000,.5\n",
                 TextLines::triplets);
}

TEST_F(TripletLines, AreRowsIfTheCallerSaysSo) {
  const auto path = written("u.data", std::string(kWithTimes));
  const LoadedMatrix<double> loaded = load<double>(open(path, TextLines::rows));
  EXPECT_EQ(loaded.data->rows(), 4);
  EXPECT_EQ(loaded.data->cols(), 4);
}

TEST_F(TripletLines, MayHaveWordsForNamesAndAddWhatIsRepeated) {
  const auto path = written("x.csv", "zoe,tea,2\nada,\"black, coffee\",1\nzoe,tea,3\nada,tea,0\n");
  const LoadedMatrix<double> loaded = load<double>(open(path, TextLines::triplets));
  EXPECT_EQ(loaded.row_names, (NameList{"ada", "zoe"}));
  EXPECT_EQ(loaded.col_names, (NameList{"black, coffee", "tea"}));
  EXPECT_EQ(as_read(loaded), matrix_of<double>(2, 2, {1, 0, 0, 5}));
  EXPECT_EQ(loaded.repeated, 1);
}

TEST_F(TripletLines, AreRefusedWithTheirLine) {
  const auto message = [&](std::string_view text) {
    return load_failure(written("x.csv", text), TextLines::triplets);
  };
  expect_phrase(message("1,2,3\n1,3\n"), "line 2: 2 fields found, expected 3: ROW COLUMN VALUE");
  expect_phrase(message("1,2\n"), "expected 3 or 4: ROW COLUMN VALUE");
  expect_phrase(message("1,2,3\n1,3,much\n"), "line 2: value 'much' is not a number.");
  expect_phrase(message("1,2,3\n,3,1\n"), "line 2: the name of a row or column is empty.");
  expect_phrase(message("1,2,3\n1,3,-1\n"), "negative");
  expect_phrase(message("user,item,3x\n1,1,1e999\n"), "too large for double precision");
  const auto path = written("m.mtx", "%%MatrixMarket matrix array real general\n1 1\n1\n");
  expect_phrase(load_failure(path, TextLines::triplets), "not text whose lines could be triplets");
}

}  // namespace
}  // namespace anmf::io::triplets_test
