// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "anmf/io.h"
#include "support/files_and_messages.h"

namespace anmf::io::npy_test {
namespace {

using io_test::expect_phrase;
using io_test::message_of;
using io_test::npy;
using io_test::read_bytes;
using io_test::stored;
using io_test::TemporaryFolder;
using io_test::write_bytes;
namespace fs = std::filesystem;

std::string dict(std::string_view descr, std::string_view order = "False",
                 std::string_view shape = "(2, 3)") {
  return "{'descr': '" + std::string(descr) + "', 'fortran_order': " + std::string(order) +
         ", 'shape': " + std::string(shape) + ", }\n";
}

template <class T>
Matrix<T> matrix_of(Index rows, Index cols, std::initializer_list<T> values) {
  Matrix<T> matrix(rows, cols);
  std::copy(values.begin(), values.end(), matrix.values().begin());
  return matrix;
}

template <class T = double>
Matrix<T> read(std::string_view bytes) {
  const TemporaryFolder folder;
  return read_npy<T>(write_bytes(folder, "x.npy", bytes));
}

std::string failure(std::string_view bytes) {
  return message_of<InvalidInput>([&] { static_cast<void>(read(bytes)); });
}

const std::string kNative = std::endian::native == std::endian::little ? "<" : ">";
const std::string kForeign = std::endian::native == std::endian::little ? ">" : "<";

template <class T>
class Npy : public testing::Test {};
using Floats = testing::Types<float, double>;
TYPED_TEST_SUITE(Npy, Floats);

TYPED_TEST(Npy, ReadsBackWhatWasWritten) {
  using T = TypeParam;
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "x.npy";
  for (const auto& [rows, cols] : {std::pair{0, 0}, {0, 5}, {5, 0}, {1, 1}, {1, 7}, {7, 1}, {300, 401}}) {
    Matrix<T> matrix(rows, cols);
    for (Index i = 0; i < matrix.size(); ++i) matrix.data()[i] = static_cast<T>(std::sqrt(static_cast<T>(i)));

    write_npy<T>(path, matrix.view());

    EXPECT_EQ(read_npy<T>(path), matrix) << rows << " x " << cols;
  }
}

TYPED_TEST(Npy, WritesTheRowsOfAViewWithGaps) {
  using T = TypeParam;
  const TemporaryFolder folder;
  const auto all = matrix_of<T>(2, 3, {1, 2, 3, 4, 5, 6});

  write_npy<T>(folder.path() / "x.npy", ConstMatrixView<T>(all.data(), 2, 2, 3));

  EXPECT_EQ(read_npy<T>(folder.path() / "x.npy"), matrix_of<T>(2, 2, {1, 2, 4, 5}));
}

TYPED_TEST(Npy, ReadsEveryTypeInBothByteOrders) {
  using T = TypeParam;
  const auto check = [](const std::string& type, auto a, auto b) {
    for (const bool swapped : {false, true}) {
      const std::string header = dict((swapped ? kForeign : kNative) + type, "False", "(1, 2)");
      const Matrix<T> matrix = read<T>(npy(header, stored({a, b}, swapped)));
      EXPECT_EQ(matrix, matrix_of<T>(1, 2, {static_cast<T>(a), static_cast<T>(b)})) << type << swapped;
    }
  };

  check("i1", std::int8_t{-3}, std::int8_t{127});
  check("i2", std::int16_t{-300}, std::int16_t{32767});
  check("i4", std::int32_t{-70000}, std::int32_t{2147483647});
  check("i8", std::int64_t{-5000000000}, std::numeric_limits<std::int64_t>::max());
  check("u1", std::uint8_t{3}, std::uint8_t{255});
  check("u2", std::uint16_t{300}, std::uint16_t{65535});
  check("u4", std::uint32_t{70000}, std::uint32_t{4294967295});
  check("u8", std::uint64_t{5000000000}, std::numeric_limits<std::uint64_t>::max());
  check("f4", 1.25F, 3e38F);
  check("f8", 1.25, 0.1);
}

TYPED_TEST(Npy, ReadsFortranOrderOfEveryShape) {
  using T = TypeParam;
  for (const auto& [rows, cols] : {std::pair{1, 1}, {1, 5}, {5, 1}, {3, 4}, {257, 513}}) {
    Matrix<T> expected(rows, cols);
    for (Index i = 0; i < expected.size(); ++i) expected.data()[i] = static_cast<T>(i);
    const Matrix<T> by_columns = transposed(expected);
    const std::string data(reinterpret_cast<const char*>(by_columns.data()),
                           static_cast<std::size_t>(by_columns.size()) * sizeof(T));
    const std::string shape = "(" + std::to_string(rows) + ", " + std::to_string(cols) + ")";

    const Matrix<T> read_back =
        read<T>(npy(dict(kNative + "f" + std::to_string(sizeof(T)), "True", shape), data));

    EXPECT_EQ(read_back, expected) << shape;
  }
}

TEST(ReadNpy, TakesEveryByteButZeroForTrue) {
  EXPECT_EQ(read(npy(dict("|b1", "False", "(1, 3)"), std::string("\0\1\2", 3))),
            matrix_of<double>(1, 3, {0, 1, 1}));
}

TEST(ReadNpy, AcceptsNativeAndAbsentByteOrder) {
  for (const char* descr : {"=f8", "|f8", "f8"}) {
    EXPECT_EQ(read(npy(dict(descr, "False", "(1, 1)"), stored({2.5}))), matrix_of<double>(1, 1, {2.5}))
        << descr;
  }
}

TEST(ReadNpy, ReadsVersionsOneToThree) {
  for (const char version : {'\1', '\2', '\3'}) {
    EXPECT_EQ(read(npy(dict("|u1"), "\1\2\3\4\5\6", version)), matrix_of<double>(2, 3, {1, 2, 3, 4, 5, 6}));
  }
}

TEST(ReadNpy, AcceptsEverySpellingOfTheHeader) {
  for (const char* header : {
           "{'shape':(2,3),'fortran_order':False,'descr':'|u1'}",
           "  { \"descr\" : \"|u1\" ,\n 'shape' : ( 2 , 3 , ) , 'fortran_order' : False }   \n",
           "{'descr': '|u1', 'fortran_order': False, 'shape': (2L, 3L), }",
       }) {
    EXPECT_EQ(read(npy(header, "\1\2\3\4\5\6")), matrix_of<double>(2, 3, {1, 2, 3, 4, 5, 6})) << header;
  }
}

TEST(ReadNpy, ShowsWhereAMalformedHeaderDeparts) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "its end found, expected '{'"},
      {"descr", "'descr' found, expected '{'"},
      {"{'descr': '|u1', 'fortran_order': False}", "expected the key 'shape'"},
      {"{'descr': '|u1', 'shape': (2, 3)}", "expected the key 'fortran_order'"},
      {"{'shape': (2, 3), 'fortran_order': False}", "expected the key 'descr'"},
      {"{'descr': '|u1', 'descr': '|u1', 'fortran_order': False, 'shape': (2, 3)}",
       "expected one each of the keys"},
      {"{'descr': '|u1', 'color': 3, 'fortran_order': False, 'shape': (2, 3)}", "'color': 3"},
      {"{'descr': 8, 'fortran_order': False, 'shape': (2, 3)}", "expected a string in quotes"},
      {"{'descr': '|u1", "expected a string that ends"},
      {"{'descr': '|u1', 'fortran_order': 0, 'shape': (2, 3)}", "expected True or False"},
      {"{'descr': '|u1' 'fortran_order': False, 'shape': (2, 3)}", "expected ',' or '}'"},
      {"{'descr': '|u1', 'fortran_order': False, 'shape': 6}", "'6}' found, expected '('"},
      {"{'descr': '|u1', 'fortran_order': False, 'shape': (2 3)}", "expected ',' or ')'"},
      {"{'descr': '|u1', 'fortran_order': False, 'shape': (2, x)}", "expected a nonnegative whole number"},
      {"{'descr': '|u1', 'fortran_order': False, 'shape': (-2, 3)}", "expected a nonnegative whole number"},
      {"{'descr': '|u1', 'fortran_order': False, 'shape': (2, 99999999999999999999)}", "fits into 64 bits"},
      {"{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3)} and more",
       "expected nothing after the dict"},
      {"{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (2, 3)}", "the entries are records"},
  };
  for (const auto& [header, phrase] : cases) expect_phrase(failure(npy(header, "\1\2\3\4\5\6")), phrase);
}

TEST(ReadNpy, NamesATypeThatIsNotSupported) {
  for (const char* descr : {"<f2", "<f16", "<c16", "|S5", "<U3", "|O", "<M8[ns]", "<i3", "b8", "", "<"}) {
    const std::string message = failure(npy(dict(descr), "\1\2\3\4\5\6"));
    expect_phrase(message, "dtype '" + std::string(descr) + "' is not supported; expected bool");
  }
}

TEST(ReadNpy, NamesAShapeThatIsNotAMatrix) {
  expect_phrase(failure(npy(dict("|u1", "False", "()"), "\1")), "0 dimensions found, shape (); expected 2");
  expect_phrase(failure(npy(dict("|u1", "False", "(6,)"), "\1")),
                "1 dimension found, shape (6,); expected 2");
  expect_phrase(failure(npy(dict("|u1", "False", "(1, 2, 3)"), "\1")), "3 dimensions found, shape (1, 2, 3)");
}

TEST(ReadNpy, GivesExpectedAndFoundBytesOfATruncatedFile) {
  const std::string whole = npy(dict("<f8"), std::string(48, '\0'));

  expect_phrase(
      failure(whole.substr(0, whole.size() - 1)),
      "the file is truncated: 48 bytes of data expected for shape (2, 3) and dtype '<f8', 47 found.");
  expect_phrase(failure(whole.substr(0, 3)), "6 bytes of the .npy magic expected, 3 found");
  expect_phrase(failure(whole.substr(0, 7)), "2 bytes of the .npy version expected, 1 found");
  expect_phrase(failure(whole.substr(0, 9)), "2 bytes of the header's length expected, 1 found");
  expect_phrase(failure(whole.substr(0, 30)), "bytes of the header expected, 20 found");
}

TEST(ReadNpy, GivesExpectedAndFoundBytesOfAFileThatIsTooLong) {
  expect_phrase(failure(npy(dict("|u1"), "1234567")), "has trailing bytes: 6 bytes of data expected");
  expect_phrase(failure(npy(dict("|u1"), "1234567")), "7 found");
}

TEST(ReadNpy, RefusesSizesThatOverflow) {
  const std::string huge = "(9223372036854775807, 9223372036854775807)";
  expect_phrase(failure(npy(dict("|u1", "False", huge), "")), "more bytes than 64 bits can count");
  expect_phrase(failure(npy(dict("<f8", "False", "(2305843009213693952, 1)"), "")),
                "more bytes than 64 bits");
}

TEST(ReadNpy, AllocatesNothingForASizeThatTheFileDoesNotHave) {
  expect_phrase(failure(npy(dict("<f8", "False", "(1000000000, 1000000)"), "12345678")), "is truncated");
}

TEST(ReadNpy, RefusesOtherContentAndOtherVersions) {
  expect_phrase(failure("hello, world"),
                "is not a .npy file: it begins with 'hello,', expected '\\x93NUMPY'");
  expect_phrase(failure(npy(dict("|u1"), "123456", 4)), ".npy version 4.0 found, expected 1.0, 2.0 or 3.0");
  expect_phrase(failure(npy("", "", 0)), ".npy version 0.0 found");
}

TEST(ReadNpy, RefusesAHeaderOfAbsurdLength) {
  std::string bytes = npy(dict("|u1"), "123456", 2);
  bytes.replace(8, 4, "\xff\xff\xff\xff");

  expect_phrase(failure(bytes), ".npy header of 4294967295 bytes found, expected at most 1048576");
}

TEST(ReadNpy, RefusesANumberTooLargeForSinglePrecisionAndSaysWhere) {
  const std::string data = stored({1.0, 2.0, 3.0, 1e300, 5.0, 6.0});
  const auto read_single = [&](std::string_view order) {
    return message_of<InvalidInput>(
        [&] { static_cast<void>(read<float>(npy(dict(kNative + "f8", order), data))); });
  };

  expect_phrase(read_single("False"), "entry (1, 0), counted from 0, is too large for single precision");
  expect_phrase(read_single("True"), "entry (1, 1), counted from 0, is too large for single precision");
}

TEST(ReadNpy, LeavesNotANumberAndInfinityToTheCaller) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::string data = stored({std::nan(""), kInfinity, -kInfinity});
  const Matrix<float> matrix = read<float>(npy(dict(kNative + "f8", "False", "(1, 3)"), data));

  EXPECT_TRUE(std::isnan(matrix(0, 0)));
  EXPECT_EQ(matrix(0, 1), std::numeric_limits<float>::infinity());
  EXPECT_EQ(matrix(0, 2), -std::numeric_limits<float>::infinity());
}

TEST(ReadNpy, ReportsAMissingFileAndAFolderAsIoErrors) {
  const TemporaryFolder folder;
  const fs::path missing = folder.path() / "missing.npy";

  EXPECT_EQ(message_of<IoError>([&] { static_cast<void>(read_npy<double>(missing)); }),
            missing.string() + ": cannot be opened: No such file or directory.");
  EXPECT_EQ(message_of<IoError>([&] { static_cast<void>(read_npy<double>(folder.path())); }),
            folder.path().string() + ": cannot be read: Is a directory.");
  EXPECT_EQ(message_of<IoError>([] { static_cast<void>(read_npy<double>("/dev/null")); }),
            "/dev/null: is not a regular file; what comes from a pipe or a device must be written to a file "
            "first.");
}

TEST(WriteNpy, WritesTheBytesThatNumPyWrites) {
  const TemporaryFolder folder;
  write_npy<double>(folder.path() / "x.npy", matrix_of<double>(1, 2, {1, 2}).view());

  const std::string bytes = read_bytes(folder.path() / "x.npy");

  ASSERT_EQ(bytes.size(), 128U + 16U);
  EXPECT_EQ(bytes.substr(0, 10), std::string("\x93NUMPY\x01\x00\x76\x00", 10));
  EXPECT_EQ(bytes.substr(10, 60),
            "{'descr': '" + kNative + "f8', 'fortran_order': False, 'shape': (1, 2), } ");
  EXPECT_EQ(bytes[127], '\n');
  EXPECT_EQ(bytes.substr(128), stored({1.0, 2.0}));
}

TEST(WriteNpy, ReportsAnUnwritablePath) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "missing" / "x.npy";

  expect_phrase(message_of<IoError>([&] { write_npy<float>(path, Matrix<float>(1, 1).view()); }),
                path.string());
}

}  // namespace
}  // namespace anmf::io::npy_test
