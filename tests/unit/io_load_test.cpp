// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "anmf/io.h"
#include "support/places.h"
#include "support/reader_test.h"

namespace anmf::io::load_test {
namespace {

using io_test::expect_phrase;
using io_test::gzip;
using io_test::load_failure;
using io_test::message_of;
using io_test::npy;
using io_test::TemporaryFolder;
using io_test::write_bytes;
using test::as_read;
namespace fs = std::filesystem;

const fs::path kTestData = fs::path(test::kSource) / "tests/data";

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
  EXPECT_EQ(loaded.data->storage(), Storage::dense);
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
  EXPECT_EQ(loaded.data->storage(), Storage::sparse);
  EXPECT_EQ(loaded.data->nonzeros(), 2);
}

TEST(Load, GoesByContentAndNotByName) {
  const TemporaryFolder folder;
  const std::string header = "{'descr': '|u1', 'fortran_order': False, 'shape': (1, 2)}";
  const std::string market = "%%MatrixMarket matrix coordinate real general\n1 2 1\n1 1 1\n";

  EXPECT_EQ(load<double>(write_bytes(folder, "a.mtx", npy(header, "\1\2"))).data->storage(), Storage::dense);
  EXPECT_EQ(load<double>(write_bytes(folder, "b.npy", market)).data->storage(), Storage::sparse);
  EXPECT_EQ(load<double>(write_bytes(folder, "c", gzip(market))).data->storage(), Storage::sparse);
}

TEST(Load, NamesTheFileOfANegativeEntry) {
  const TemporaryFolder folder;
  const std::string coordinate = "%%MatrixMarket matrix coordinate real general\n1 2 1\n1 1 -1\n";
  const std::string array = "%%MatrixMarket matrix array real general\n1 1\n-1\n";
  for (const fs::path& path :
       {write_bytes(folder, "a.mtx", coordinate), write_bytes(folder, "b.mtx", array)}) {
    EXPECT_TRUE(load_failure(path).starts_with(path.string() + ": "));
  }
}

TEST(Load, RefusesInSinglePrecisionWhatWouldBecomeZeroOrLoseItsDigits) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "tiny.csv";
  const auto refusal = [&](std::string_view text) {
    io_test::write_to(path, text);
    EXPECT_NO_THROW(static_cast<void>(load<double>(path)));
    return message_of<InvalidInput>([&] { static_cast<void>(load<float>(path)); });
  };
  EXPECT_EQ(refusal("1e-50,2e-50\n3e-50,0\n"),
            path.string() +
                ": the entries are too small for single precision, which begins at 1.2e-38; their norm "
                "is 3.7e-50. Use double precision (--precision float64), or multiply the matrix.");
  expect_phrase(refusal("1e-42,2e-42\n3e-42,0\n"), "too small for single precision");
  // Zeros are zeros, and some small entries beside others are none too many.
  for (const std::string_view fine : {"0,0\n0,0\n", "1e-50,1\n0,2\n", "1e-30,2e-30\n3e-30,0\n"}) {
    io_test::write_to(path, fine);
    EXPECT_NO_THROW(static_cast<void>(load<float>(path))) << fine;
  }
  const fs::path sparse = folder.path() / "tiny.mtx";
  io_test::write_to(sparse, "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 1e-50\n");
  expect_phrase(message_of<InvalidInput>([&] { static_cast<void>(load<float>(sparse)); }),
                "too small for single precision");
}

TEST(Load, SaysHowToUsePackedNumPyFiles) {
  const TemporaryFolder folder;
  const std::string header = "{'descr': '|u1', 'fortran_order': False, 'shape': (1, 2)}";

  expect_phrase(load_failure(write_bytes(folder, "a.npz", "PK\x03\x04 and more")),
                "a.npz: the zip archive of 13 bytes cannot be read: Not a zip archive. Is it truncated?");
  expect_phrase(load_failure(write_bytes(folder, "a.npz.gz", gzip("PK\x03\x04"))),
                "must be uncompressed first");
  expect_phrase(load_failure(write_bytes(folder, "a.npy.gz", gzip(npy(header, "\1\2")))),
                "must be uncompressed first");
}

TEST(Load, ReportsAMissingFileAsAnIoError) {
  EXPECT_EQ(message_of<IoError>([] { static_cast<void>(load<double>("/nowhere/x.npy")); }),
            "/nowhere/x.npy: cannot be opened: No such file or directory.");
}

}  // namespace
}  // namespace anmf::io::load_test
