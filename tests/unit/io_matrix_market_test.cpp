// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "anmf/io.h"
#include "io/gzip_stream.h"
#include "support/files_and_messages.h"
#include "support/places.h"

namespace anmf::io::matrix_market_test {
namespace {

using io_test::expect_phrase;
using io_test::gzip;
using io_test::message_of;
using io_test::TemporaryFolder;
using io_test::write_bytes;
namespace fs = std::filesystem;

const fs::path kValid = fs::path(test::kSource) / "tests/data/valid";
const std::string kGeneral = "%%MatrixMarket matrix coordinate real general\n";

template <class T>
Matrix<T> matrix_of(Index rows, Index cols, std::initializer_list<double> values) {
  Matrix<T> matrix(rows, cols);
  std::transform(values.begin(), values.end(), matrix.values().begin(),
                 [](double x) { return static_cast<T>(x); });
  return matrix;
}

// The file as a dense matrix, whichever of the two kinds it is; repeated positions are added.
template <class T>
Matrix<T> read_any(const fs::path& path) {
  if (matrix_market_is_dense(path)) return read_matrix_market_array<T>(path);
  const Triplets<T> triplets = read_matrix_market<T>(path);
  Matrix<T> matrix(triplets.rows, triplets.cols);
  for (std::size_t i = 0; i < triplets.values.size(); ++i) {
    matrix(triplets.row_indices[i], triplets.col_indices[i]) += triplets.values[i];
  }
  return matrix;
}

template <class T = double>
Matrix<T> read_text(std::string_view text) {
  const TemporaryFolder folder;
  return read_any<T>(write_bytes(folder, "x.mtx", text));
}

template <class T = double>
std::string failure(std::string_view text) {
  return message_of<InvalidInput>([&] { static_cast<void>(read_text<T>(text)); });
}

template <class T>
class MatrixMarket : public testing::Test {};
using Floats = testing::Types<float, double>;
TYPED_TEST_SUITE(MatrixMarket, Floats);

TYPED_TEST(MatrixMarket, ReadsEveryKindOfFile) {
  using T = TypeParam;
  const auto check = [](const char* name, const Matrix<T>& expected) {
    EXPECT_EQ(read_any<T>(kValid / name), expected) << name;
  };

  check("coordinate_real.mtx", matrix_of<T>(3, 4, {1.5, 0, 0, 0, 0.5, 4, 0, 0, 0, 0, 0, 0.2}));
  check("coordinate_integer.mtx", matrix_of<T>(2, 3, {0, 0, 7, 12, 0, 0}));
  check("coordinate_pattern.mtx", matrix_of<T>(2, 2, {0, 1, 1, 0}));
  check("coordinate_symmetric.mtx", matrix_of<T>(3, 3, {2, 3, 0, 3, 0, 0.25, 0, 0.25, 1}));
  check("coordinate_pattern_symmetric.mtx", matrix_of<T>(2, 2, {0, 1, 1, 1}));
  check("coordinate_duplicates.mtx", matrix_of<T>(2, 2, {3, 0, 0, 5}));
  check("coordinate_without_entries.mtx", Matrix<T>(2, 3));
  check("comments_and_blank_lines.mtx", matrix_of<T>(2, 2, {3, 0, 0, 4}));
  check("array_real.mtx", matrix_of<T>(2, 3, {1, 3, 5.5, 2, 4, 6}));
  check("array_integer_symmetric.mtx", matrix_of<T>(3, 3, {1, 2, 3, 2, 4, 5, 3, 5, 6}));
}

TEST(ReadMatrixMarket, KeepsEntriesInTheOrderOfTheFileWithZerosAndDuplicates) {
  const TemporaryFolder folder;
  const fs::path path = write_bytes(folder, "x.mtx", kGeneral + "3 2 3\n3 2 1\n1 1 0\n3 2 4\n");

  const Triplets<double> triplets = read_matrix_market<double>(path);

  EXPECT_EQ(triplets.rows, 3);
  EXPECT_EQ(triplets.cols, 2);
  EXPECT_EQ(triplets.row_indices, (std::vector<std::uint32_t>{2, 0, 2}));
  EXPECT_EQ(triplets.col_indices, (std::vector<std::uint32_t>{1, 0, 1}));
  EXPECT_EQ(triplets.values, (std::vector<double>{1, 0, 4}));
}

TEST(ReadMatrixMarket, MirrorsOnlyOffDiagonalEntriesOfASymmetricFile) {
  const Triplets<double> triplets = read_matrix_market<double>(kValid / "coordinate_symmetric.mtx");

  EXPECT_EQ(triplets.row_indices, (std::vector<std::uint32_t>{0, 1, 0, 2, 1, 2}));
  EXPECT_EQ(triplets.col_indices, (std::vector<std::uint32_t>{0, 0, 1, 1, 2, 2}));
}

TEST(ReadMatrixMarket, ReadsWindowsLineEndsAndALastLineWithoutEnd) {
  const std::string windows =
      "%%MatrixMarket matrix coordinate real general\r\n% c\r\n\r\n2 2 2\r\n1 1 3\r\n2 2 4\r\n";

  EXPECT_EQ(read_text(windows), matrix_of<double>(2, 2, {3, 0, 0, 4}));
  EXPECT_EQ(read_text(windows.substr(0, windows.size() - 2)), matrix_of<double>(2, 2, {3, 0, 0, 4}));
  EXPECT_EQ(read_text("%%MatrixMarket matrix array real general\n1 1\n5"), matrix_of<double>(1, 1, {5}));
}

TEST(ReadMatrixMarket, ReadsTheUnsignedIntegersOfScipy) {
  EXPECT_EQ(read_text("%%MatrixMarket matrix coordinate unsigned-integer general\n1 1 1\n1 1 5\n"),
            matrix_of<double>(1, 1, {5}));
}

TEST(ReadMatrixMarket, ReadsGzipFilesOfOneAndOfSeveralMembers) {
  const TemporaryFolder folder;
  const std::string text = kGeneral + "2 2 2\n1 1 3\n2 2 4\n";
  const fs::path one = write_bytes(folder, "one.mtx.gz", gzip(text));
  const fs::path two = write_bytes(folder, "two.mtx.gz", gzip(text.substr(0, 50)) + gzip(text.substr(50)));

  EXPECT_EQ(read_any<double>(one), read_text(text));
  EXPECT_EQ(read_any<double>(two), read_text(text));
}

TEST(ReadMatrixMarket, ReadsAFileMuchLargerThanItsBuffer) {
  const TemporaryFolder folder;
  constexpr Index kEntries = 300000;
  std::string text = kGeneral + "300000 7 300000\n";
  for (Index i = 0; i < kEntries; ++i) {
    text += std::to_string(i + 1) + " " + std::to_string(i % 7 + 1) + " " + std::to_string(i % 1000) + ".5\n";
  }
  for (const fs::path& path :
       {write_bytes(folder, "x.mtx", text), write_bytes(folder, "x.mtx.gz", gzip(text))}) {
    const Triplets<double> triplets = read_matrix_market<double>(path);

    ASSERT_EQ(triplets.values.size(), std::size_t{kEntries});
    for (Index i = 0; i < kEntries; ++i) {
      const auto at = static_cast<std::size_t>(i);
      ASSERT_EQ(triplets.row_indices[at], i);
      ASSERT_EQ(triplets.col_indices[at], i % 7);
      ASSERT_EQ(triplets.values[at], static_cast<double>(i % 1000) + 0.5);
    }
  }
}

TEST(ReadMatrixMarket, ParsesNumbersInEverySpelling) {
  const Matrix<double> matrix = read_text(
      "%%MatrixMarket matrix array real general\n1 10\n+1\n-2\n1.\n.5\n1E3\n1e-400\n"
      "0.1\nnan\ninf\n-Infinity\n");
  constexpr double kInfinity = std::numeric_limits<double>::infinity();

  EXPECT_EQ(std::vector<double>(matrix.data(), matrix.data() + 7),
            (std::vector<double>{1, -2, 1, 0.5, 1000, 0, 0.1}));
  EXPECT_TRUE(std::isnan(matrix(0, 7)));
  EXPECT_EQ(matrix(0, 8), kInfinity);
  EXPECT_EQ(matrix(0, 9), -kInfinity);
}

TEST(ReadMatrixMarket, TellsTooSmallFromTooLarge) {
  const auto text = [](const std::string& value) { return kGeneral + "1 1 1\n1 1 " + value + "\n"; };
  const std::string zeros(400, '0');

  for (const std::string& value :
       {std::string("1e-99999999999999999999"), "0." + zeros + "1", "1" + zeros + "e-900"}) {
    EXPECT_EQ(read_text(text(value))(0, 0), 0.0) << value;
  }
  for (const std::string& value :
       {std::string("1e+99999999999999999999"), "1" + zeros, "0." + zeros + "1e900"}) {
    expect_phrase(failure(text(value)), "is too large for double precision");
  }
  EXPECT_EQ(read_text<float>(text("1e-60"))(0, 0), 0.0F);
  expect_phrase(failure<float>(text("1e60")), "value '1e60' is too large for single precision");
}

TEST(ReadMatrixMarket, NamesFileLineAndRangeOfABadIndex) {
  const TemporaryFolder folder;
  const fs::path path = write_bytes(folder, "x.mtx", kGeneral + "% c\n3 10 2\n1 1 1\n\n3 12 2\n");

  EXPECT_EQ(message_of<InvalidInput>([&] { static_cast<void>(read_matrix_market<double>(path)); }),
            path.string() + ", line 6: column index 12 is outside 1..10.");
}

TEST(ReadMatrixMarket, RefusesTheOtherFormat) {
  expect_phrase(message_of<InvalidInput>(
                    [] { static_cast<void>(read_matrix_market<double>(kValid / "array_real.mtx")); }),
                "array_real.mtx, line 1: format array found, expected coordinate.");
  expect_phrase(message_of<InvalidInput>([] {
                  static_cast<void>(read_matrix_market_array<double>(kValid / "coordinate_real.mtx"));
                }),
                "coordinate_real.mtx, line 1: format coordinate found, expected array.");
}

TEST(ReadMatrixMarket, RefusesALineWithoutEnd) {
  expect_phrase(failure(kGeneral + "%" + std::string(1 << 21, 'x')),
                "line 2: the line is longer than 1048576 bytes");
}

TEST(ReadMatrixMarket, ShortensAndEscapesWhatItQuotes) {
  expect_phrase(failure(kGeneral + "1 1 1\n1 1 \x01" + std::string(1000, 'x') + "\n"), "value '\\x01xxx");
  EXPECT_LT(failure(kGeneral + "1 1 1\n1 1 " + std::string(1000, 'x') + "\n").size(), 250U);
}

TEST(ReadMatrixMarket, NeverTakesATruncatedGzipFileForAShortOne) {
  const TemporaryFolder folder;
  const std::string whole = gzip(kGeneral + "2 2 2\n1 1 3\n2 2 4\n\n\n");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const fs::path path = write_bytes(folder, "x.mtx.gz", whole.substr(0, size));
    const std::string message = message_of<InvalidInput>([&] { static_cast<void>(read_any<double>(path)); });
    if (size >= 2) expect_phrase(message, "it ends in the middle (is it truncated?)");
  }
}

TEST(ReadMatrixMarket, NoticesThatALaterGzipMemberIsLost) {
  const TemporaryFolder folder;
  std::string second = gzip("2 2 4\n");
  second[0] = 'x';
  const fs::path path = write_bytes(folder, "x.mtx.gz", gzip(kGeneral + "2 2 2\n1 1 3\n") + second);

  expect_phrase(message_of<InvalidInput>([&] { static_cast<void>(read_any<double>(path)); }),
                "line 3: the file ends after 1 entry, but line 2 promises 2.");
}

TEST(ReadMatrixMarket, RefusesAGzipFileWithAWrongChecksum) {
  const TemporaryFolder folder;
  std::string bytes = gzip(kGeneral + "1 1 1\n1 1 3\n");
  bytes[bytes.size() - 6] = static_cast<char>(bytes[bytes.size() - 6] ^ 1);
  const fs::path path = write_bytes(folder, "x.mtx.gz", bytes);

  expect_phrase(message_of<InvalidInput>([&] { static_cast<void>(read_matrix_market<double>(path)); }),
                "cannot be uncompressed: its contents are corrupt");
}

TEST(ReadMatrixMarket, ReportsAMissingFileAndAFolderAsIoErrors) {
  const TemporaryFolder folder;
  const fs::path missing = folder.path() / "missing.mtx";

  EXPECT_EQ(message_of<IoError>([&] { static_cast<void>(matrix_market_is_dense(missing)); }),
            missing.string() + ": cannot be opened: No such file or directory.");
  EXPECT_EQ(message_of<IoError>([&] { static_cast<void>(read_matrix_market<float>(folder.path())); }),
            folder.path().string() + ": cannot be read: Is a directory.");
}

TEST(LineReader, FindsTheSameLinesWithEverySizeOfBuffer) {
  const TemporaryFolder folder;
  const std::vector<std::string> lines = {"", "a", "bc", "", "def\r", "ghij", "k"};
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  text.pop_back();
  const fs::path plain = write_bytes(folder, "plain", text);
  const fs::path packed = write_bytes(folder, "packed", gzip(text));
  for (const fs::path& path : {plain, packed}) {
    for (std::size_t buffer_bytes = 5; buffer_bytes < 30; ++buffer_bytes) {
      LineReader reader(path, buffer_bytes);
      for (std::size_t i = 0; i < lines.size(); ++i) {
        ASSERT_TRUE(reader.next());
        EXPECT_EQ(reader.line(), lines[i]);
        EXPECT_EQ(reader.line_number(), static_cast<Index>(i + 1));
      }
      EXPECT_FALSE(reader.next());
    }
  }
}

}  // namespace
}  // namespace anmf::io::matrix_market_test
