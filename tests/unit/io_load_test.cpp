// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "anmf/io.h"
#include "support/files_and_messages.h"
#include "support/loaded.h"

namespace anmf::io {
namespace {

using io_test::expect_phrase;
using io_test::gzip;
using io_test::message_of;
using io_test::npy;
using io_test::TemporaryFolder;
using io_test::write_bytes;
using test::as_read;
namespace fs = std::filesystem;

const fs::path kTestData = ANMF_TEST_DATA;

// Every file of tests/data/invalid, and what its message must say.
const std::map<std::string, std::string> kInvalidFiles = {
    {"array_extra_token.mtx", "line 3: 2 tokens found, expected 1: VALUE."},
    {"array_pattern.mtx", "line 1: an array cannot be a pattern"},
    {"array_size_overflow.mtx",
     "line 2: an array of 9223372036854775807 x 9223372036854775807 has more entries"},
    {"array_sizes_beyond_the_file.mtx", "line 2: an array of 1000000 x 1000000 needs 1000000000000 values"},
    {"array_symmetric_not_square.mtx", "line 2: a symmetric matrix must be square, but this one is 2 x 3."},
    {"array_three_sizes.mtx", "line 2: '2 2 4' found as the line of sizes, expected 'ROWS COLUMNS'."},
    {"array_too_few.mtx", "line 5: the file ends after 3 entries, but line 2 promises 4."},
    {"array_too_many.mtx", "line 5: an entry beyond the 2 that line 2 promises."},
    {"banner_misspelled.mtx", "begins with '%MatrixMarket ma', expected NumPy (.npy, .npz), Matrix Market"},
    {"banner_only.mtx", "line 1: the file ends before the line of sizes 'ROWS COLUMNS ENTRIES'."},
    {"banner_too_long.mtx", "line 1: 6 words found, expected 5"},
    {"banner_too_short.mtx", "line 1: 4 words found, expected 5"},
    {"bag_bad_word.txt", "line 5: the word is 4, expected 1 to 3."},
    {"bag_too_few.txt", "line 5: the file ends after 2 entries, but line 3 promises 3."},
    {"bag_too_many.txt", "line 5: an entry beyond the 1 that line 3 promises."},
    {"bag_two_tokens.txt", "line 5: 2 tokens found, expected 3: DOCUMENT WORD COUNT."},
    {"cluto_column.mat", "line 2: the column is 0, expected 1 to 3."},
    {"cluto_count.mat", "line 3: the rows hold 3 entries, but line 1 promises 4."},
    {"cluto_extra_row.mat", "line 4: a row beyond the 2 that line 1 promises."},
    {"cluto_missing_row.mat", "line 2: the file ends after 1 rows, but line 1 promises 2."},
    {"cluto_odd.mat", "line 3: 1 tokens found, expected an even number: COLUMN VALUE"},
    {"cluto_word.mat", "line 2: value 'x' is not a number."},
    {"column_index_too_large.mtx", "line 5: column index 12 is outside 1..10."},
    {"comment_between_entries.mtx", "line 4: 2 tokens found, expected 3: ROW COLUMN VALUE."},
    {"empty.mtx", "it is empty, expected NumPy (.npy, .npz), Matrix Market (.mtx, .mtx.gz), a table"},
    {"entry_extra_token.mtx", "line 3: 4 tokens found, expected 3: ROW COLUMN VALUE."},
    {"entry_missing_value.mtx", "line 3: 2 tokens found, expected 3: ROW COLUMN VALUE."},
    {"entry_value_too_large.mtx", "line 3: value '1e400' is too large for double precision."},
    {"entry_word.mtx", "line 3: value 'one' is not a number."},
    {"field_complex.mtx", "line 1: complex values are not supported"},
    {"field_unknown.mtx", "line 1: field 'quaternion' found, expected real, integer or pattern."},
    {"format_unknown.mtx", "line 1: format 'blocked' found, expected coordinate or array."},
    {"hermitian.mtx", "line 1: hermitian matrices are not supported"},
    {"huge_promise.mtx", "line 3: the file ends after 1 entries, but line 2 promises 4000000000000000000."},
    {"integer_with_fraction.mtx", "line 3: value '1.5' is not a whole number, though line 1 says integer."},
    {"named.npy", "The name ends in .npy, but the content does not match it."},
    {"object_unknown.mtx", "line 1: object 'vector' found, expected matrix."},
    {"pattern_with_value.mtx", "line 3: 3 tokens found, expected 2: ROW COLUMN."},
    {"row_in_empty_matrix.mtx", "line 3: row index 1 in a matrix without rows."},
    {"row_index_fraction.mtx", "line 3: row index '1.5' is not a whole number."},
    {"row_index_huge.mtx", "line 3: row index 99999999999999999999 is outside 1..2."},
    {"row_index_zero.mtx", "line 3: row index 0 is outside 1..2."},
    {"sizes_missing.mtx", "line 3: the file ends before the line of sizes"},
    {"sizes_negative.mtx", "line 2: the number of rows is '-2', expected a nonnegative whole number."},
    {"sizes_not_numbers.mtx", "line 2: the number of rows is 'two', expected a nonnegative whole number."},
    {"sizes_overflow.mtx", "line 2: the number of columns '99999999999999999999' does not fit into 64 bits."},
    {"sizes_two_numbers.mtx", "line 2: '2 2' found as the line of sizes, expected 'ROWS COLUMNS ENTRIES'."},
    {"skew_symmetric.mtx", "line 1: skew-symmetric matrices are not supported"},
    {"symmetric_above_diagonal.mtx", "line 3: entry (1, 2) is above the diagonal"},
    {"symmetric_not_square.mtx", "line 2: a symmetric matrix must be square, but this one is 2 x 3."},
    {"symmetry_unknown.mtx", "line 1: symmetry 'lopsided' found, expected general or symmetric."},
    {"svmlight_index.txt", "line 2: the index is 4294967295, expected 0 to 4294967294."},
    {"svmlight_label.txt", "line 5: value 'spam' is not a number."},
    {"svmlight_negative.txt", "negative"},
    {"svmlight_no_colon.txt", "line 2: '3' found, expected INDEX:VALUE."},
    {"svmlight_value.txt", "line 1: value 'x' is not a number."},
    {"table_bad_header.csv", "line 1: the only line holds names, expected lines of numbers below it."},
    {"table_empty_field.csv", "line 3: field 2 is empty, expected a number."},
    {"table_name_not_utf8.csv", "line 3: the name 'caf\\xe9' is not UTF-8."},
    {"table_negative.csv", "M[1, 0] = -1 is negative"},
    {"table_too_few_fields.tsv", "line 3: 1 field found, expected 2 as in line 1."},
    {"table_too_large.csv", "line 2: field 2, '1e999', is too large for double precision."},
    {"table_too_many_fields.csv", "line 2: 3 fields found, expected 2 as in line 1."},
    {"table_unclosed_quotes.csv", "line 2: the quotes of field 1 are not closed."},
    {"table_word.csv", "line 3: field 3 is 'NA', expected a number."},
    {"text.txt", "is not a supported matrix file: it begins with 'Nothing but word'"},
    {"too_few_entries.mtx", "line 4: the file ends after 2 entries, but line 2 promises 3."},
    {"too_many_entries.mtx", "line 4: an entry beyond the 1 that line 2 promises."},
    {"two_signs.mtx", "line 3: value '+-1' is not a number."},
};

std::string failure(const fs::path& path) {
  return message_of<InvalidInput>([&] { static_cast<void>(load<double>(path)); });
}

TEST(Load, RefusesEveryInvalidFileWithItsReason) {
  for (const auto& [name, phrase] : kInvalidFiles) {
    SCOPED_TRACE(name);
    const fs::path path = kTestData / "invalid" / name;
    const std::string message = failure(path);
    EXPECT_TRUE(message.starts_with(path.string())) << message;
    expect_phrase(message, phrase);
  }
}

TEST(Load, HasAReasonForEveryInvalidFile) {
  for (const auto& entry : fs::directory_iterator(kTestData / "invalid")) {
    EXPECT_TRUE(kInvalidFiles.contains(entry.path().filename().string())) << entry.path();
  }
}

TEST(Load, ReadsEveryValidFile) {
  for (const auto& entry : fs::directory_iterator(kTestData / "valid")) {
    SCOPED_TRACE(entry.path());
    EXPECT_NO_THROW(static_cast<void>(load<double>(entry.path())));
    EXPECT_NO_THROW(static_cast<void>(load<float>(entry.path())));
  }
}

TEST(Load, OwnsTheMemoryUnderADenseMatrix) {
  const LoadedMatrix<float> loaded = load<float>(kTestData / "valid" / "array_real.mtx");

  EXPECT_NE(loaded.entries, nullptr);
  EXPECT_EQ(loaded.data->storage(), "dense");
  EXPECT_EQ(loaded.data->rows(), 2);
  EXPECT_EQ(loaded.data->cols(), 3);
}

double max_entry_difference(const Matrix<float>& A, const Matrix<double>& B) {
  double max = 0;
  for (Index k = 0; k < A.size(); ++k)
    max = std::max(max, std::abs(static_cast<double>(A.data()[k]) - B.data()[k]));
  return max;
}

// Every type and byte order, whether it is kept or converted.
TEST(Load, ReadsTheEntriesOfEveryTypeOfNpy) {
  const TemporaryFolder folder;
  const auto check = [&](const std::string& descr, const std::string& bytes, const char* order = "False") {
    SCOPED_TRACE(descr);
    const fs::path path = write_bytes(
        folder, "x.npy",
        npy("{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': (2, 2), }", bytes));
    Matrix<double> expected(2, 2);
    for (Index k = 0; k < 4; ++k) expected(k / 2, k % 2) = static_cast<double>(k + 1);
    EXPECT_EQ(as_read(load<double>(path)), expected);
    EXPECT_EQ(max_entry_difference(as_read(load<float>(path)), expected), 0);
    EXPECT_EQ(load_dense<double>(path), expected);
  };
  using namespace std::string_literals;

  check("|u1", "\1\2\3\4"s);
  check("|u1", "\1\3\2\4"s, "True");
  check("<u2", "\1\0\2\0\3\0\4\0"s);
  check(">u2", "\0\1\0\2\0\3\0\4"s);
  check(">u2", "\0\1\0\3\0\2\0\4"s, "True");
  check("|i1", "\1\2\3\4"s);
  check("<u4", "\1\0\0\0\2\0\0\0\3\0\0\0\4\0\0\0"s);
  check("<f4", "\0\0\x80\x3f\0\0\0\x40\0\0\x40\x40\0\0\x80\x40"s);
  check(">f4", "\x3f\x80\0\0\x40\0\0\0\x40\x40\0\0\x40\x80\0\0"s);
}

TEST(Load, NamesTheFileOfABadEntryOfANarrowType) {
  const TemporaryFolder folder;
  const fs::path path = write_bytes(
      folder, "x.npy",
      npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1), }", std::string("\0\0\x80\xbf", 4)));

  const std::string message = message_of<InvalidInput>([&] { static_cast<void>(load<double>(path)); });

  expect_phrase(message, path.string() + ": M[0, 0] = -1 is negative");
}

TEST(Load, RefusesASparseFileWhereADenseOneIsExpected) {
  const auto act = [] {
    static_cast<void>(load_dense<double>(kTestData / "valid" / "coordinate_duplicates.mtx"));
  };

  expect_phrase(message_of<InvalidInput>(act), "holds a sparse matrix, expected a dense one");
}

TEST(Load, RefusesASparseFileWithSizesBeyond32Bits) {
  const TemporaryFolder folder;
  const fs::path path = write_bytes(
      folder, "x.mtx", "%%MatrixMarket matrix coordinate real general\n4294967296 1 1\n4294967296 1 1\n");

  const std::string message = message_of<InvalidInput>([&] { static_cast<void>(load<double>(path)); });

  expect_phrase(message, "line 2: the matrix is 4294967296 x 1; a sparse matrix may have at most 4294967295");
}

TEST(Load, KeepsACoordinateFileSparse) {
  const LoadedMatrix<double> loaded = load<double>(kTestData / "valid" / "coordinate_duplicates.mtx");

  EXPECT_EQ(loaded.entries, nullptr);
  EXPECT_EQ(loaded.data->storage(), "sparse");
  EXPECT_EQ(loaded.data->nonzeros(), 2);
}

TEST(Load, GoesByContentAndNotByName) {
  const TemporaryFolder folder;
  const std::string header = "{'descr': '|u1', 'fortran_order': False, 'shape': (1, 2)}";
  const std::string market = "%%MatrixMarket matrix coordinate real general\n1 2 1\n1 1 1\n";

  EXPECT_EQ(load<double>(write_bytes(folder, "a.mtx", npy(header, "\1\2"))).data->storage(), "dense");
  EXPECT_EQ(load<double>(write_bytes(folder, "b.npy", market)).data->storage(), "sparse");
  EXPECT_EQ(load<double>(write_bytes(folder, "c", gzip(market))).data->storage(), "sparse");
}

TEST(Load, NamesTheFileOfANegativeEntry) {
  const TemporaryFolder folder;
  const std::string coordinate = "%%MatrixMarket matrix coordinate real general\n1 2 1\n1 1 -1\n";
  const std::string array = "%%MatrixMarket matrix array real general\n1 1\n-1\n";
  for (const fs::path& path :
       {write_bytes(folder, "a.mtx", coordinate), write_bytes(folder, "b.mtx", array)}) {
    EXPECT_TRUE(failure(path).starts_with(path.string() + ": "));
  }
}

TEST(Load, SaysHowToUsePackedNumPyFiles) {
  const TemporaryFolder folder;
  const std::string header = "{'descr': '|u1', 'fortran_order': False, 'shape': (1, 2)}";

  expect_phrase(failure(write_bytes(folder, "a.npz", "PK\x03\x04 and more")),
                "a.npz: the zip archive of 13 bytes cannot be read: Not a zip archive. Is it truncated?");
  expect_phrase(failure(write_bytes(folder, "a.npz.gz", gzip("PK\x03\x04"))), "must be uncompressed first");
  expect_phrase(failure(write_bytes(folder, "a.npy.gz", gzip(npy(header, "\1\2")))),
                "must be uncompressed first");
}

TEST(Load, ReportsAMissingFileAsAnIoError) {
  EXPECT_EQ(message_of<IoError>([] { static_cast<void>(load<double>("/nowhere/x.npy")); }),
            "/nowhere/x.npy: cannot be opened: No such file or directory.");
}

}  // namespace
}  // namespace anmf::io
