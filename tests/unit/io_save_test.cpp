// SPDX-License-Identifier: MIT
// What is written comes back from the readers bit for bit, with its names.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <bit>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "anmf/error.h"
#include "anmf/io.h"
#include "io/dense_rows.h"
#include "support/file_size_limit.h"
#include "support/files_and_messages.h"
#include "support/loaded.h"

namespace anmf::io::save_test {
namespace {

using io_test::expect_phrase;
using io_test::message_of;
using io_test::read_bytes;
using io_test::TemporaryFolder;
using test::FileSizeLimit;
using test::matrix_of;

// About half of the entries 0, the others of very different sizes; row 2 and column 1 are empty where the
// matrix is large enough. The same on every machine.
template <class T>
Matrix<T> awkward(Index rows, Index cols) {
  Matrix<T> matrix(rows, cols);
  std::uint64_t state = 42;
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < cols; ++j) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      const auto bits = static_cast<std::uint32_t>(state >> 33);
      if (bits % 2 == 0 || (i == 2 && rows > 3) || (j == 1 && cols > 2)) continue;
      if constexpr (std::is_integral_v<T>) {
        matrix(i, j) = static_cast<T>(bits >> 8);
      } else {
        const T scale = bits % 3 == 0 ? T{1} : std::ldexp(T{1}, static_cast<int>(bits >> 8 & 63U) - 32);
        matrix(i, j) = scale * static_cast<T>(bits) / static_cast<T>(bits % 3 == 0 ? 1 : 7);
      }
    }
  }
  return matrix;
}

template <class T>
testing::AssertionResult same_bits(const Matrix<T>& found, const Matrix<T>& expected) {
  if (found.rows() != expected.rows() || found.cols() != expected.cols()) {
    return testing::AssertionFailure() << found.rows() << " x " << found.cols() << " found, expected "
                                       << expected.rows() << " x " << expected.cols();
  }
  for (Index k = 0; k < expected.size(); ++k) {
    if (std::memcmp(found.data() + k, expected.data() + k, sizeof(T)) == 0) continue;
    return testing::AssertionFailure()
           << "entry " << k << " is " << +found.data()[k] << ", expected " << +expected.data()[k];
  }
  return testing::AssertionSuccess();
}

// What a loaded matrix holds, in the type in which it was stored.
template <class T>
Matrix<T> stored_entries(const LoadedMatrix<T>& loaded) {
  if (const auto* const sparse = dynamic_cast<const SparseData<T>*>(loaded.data.get()))
    return collected(rows_of(view_of(sparse->by_row())));
  return collected(rows_of(std::get<ConstMatrixView<T>>(loaded.dense)));
}

Names numbered(Index rows, Index cols) {
  Names names;
  for (Index i = 0; i < rows; ++i) names.rows.push_back(fmt::format("row {}", i));
  for (Index j = 0; j < cols; ++j) names.cols.push_back(fmt::format("c{}", j));
  return names;
}

const std::vector<std::string> kAllEndings = {".npy",    ".npz", ".mtx",    ".mtx.gz", ".csv",
                                              ".csv.gz", ".tsv", ".tsv.gz", ".h5ad"};
const std::vector<std::string> kSparseEndings = {".npz", ".mtx", ".mtx.gz", ".h5ad"};

struct Size {
  Index rows;
  Index cols;
};
// A line of the largest one is longer than the piece that one thread formats.
const std::vector<Size> kSizes = {{1, 1}, {1, 3}, {3, 1}, {3, 4}, {17, 9}, {2, 40001}, {70001, 2}};

template <class T>
class Save : public testing::Test {
 protected:
  TemporaryFolder folder_;
};
using Floats = testing::Types<float, double>;
TYPED_TEST_SUITE(Save, Floats);

TYPED_TEST(Save, DenseComesBackFromEveryFormat) {
  for (const Size& size : kSizes) {
    const Matrix<TypeParam> expected = awkward<TypeParam>(size.rows, size.cols);
    for (const std::string& ending : kAllEndings) {
      const auto path = this->folder_.path() / ("m" + ending);
      save<TypeParam>(path, expected.view());
      const LoadedMatrix<TypeParam> found = load<TypeParam>(path);
      EXPECT_EQ(found.data->storage(), Storage::dense) << ending;
      EXPECT_TRUE(same_bits(stored_entries(found), expected)) << ending << ", " << size.rows;
    }
  }
}

TYPED_TEST(Save, SparseComesBackFromEveryFormat) {
  for (const Size& size : kSizes) {
    const Matrix<TypeParam> expected = awkward<TypeParam>(size.rows, size.cols);
    const Csr<TypeParam> sparse = compressed(rows_of(expected.view()));
    for (const std::string& ending : kSparseEndings) {
      const auto path = this->folder_.path() / ("m" + ending);
      save<TypeParam>(path, view_of(sparse));
      const LoadedMatrix<TypeParam> found = load<TypeParam>(path);
      EXPECT_EQ(found.data->storage(), Storage::sparse) << ending;
      EXPECT_TRUE(same_bits(stored_entries(found), expected)) << ending << ", " << size.rows;
      if (ending == ".npz" || ending == ".h5ad") {
        EXPECT_EQ(found.single_precision, (std::is_same_v<TypeParam, float>)) << ending;
      }
    }
  }
}

TYPED_TEST(Save, ExtremeNumbersComeBack) {
  using Limits = std::numeric_limits<TypeParam>;
  const Matrix<TypeParam> expected = matrix_of<TypeParam>(
      2, 5,
      {Limits::max(), Limits::min(), Limits::denorm_min(), Limits::epsilon(), TypeParam(9007199254740992.0),
       TypeParam(0.1), TypeParam(1e22), TypeParam(123456789), TypeParam(-0.0), TypeParam(5e-5)});
  for (const std::string& ending : kAllEndings) {
    const auto path = this->folder_.path() / ("m" + ending);
    save<TypeParam>(path, expected.view());
    EXPECT_TRUE(same_bits(stored_entries(load<TypeParam>(path)), expected)) << ending;
  }
}

template <class T>
void expect_narrow(const TemporaryFolder& folder) {
  const Matrix<T> expected = awkward<T>(5, 7);
  for (const std::string ending : {".npy", ".npz", ".h5ad"}) {
    const auto path = folder.path() / ("m" + ending);
    save<T>(path, expected.view());
    const auto found = load<double>(path);
    ASSERT_TRUE(std::holds_alternative<ConstMatrixView<T>>(found.dense)) << ending;
    EXPECT_TRUE(same_bits(collected(rows_of(std::get<ConstMatrixView<T>>(found.dense))), expected));
  }
  for (const std::string ending : {".mtx", ".csv"}) {
    const auto path = folder.path() / ("m" + ending);
    save<T>(path, expected.view());
    EXPECT_EQ(stored_entries(load<double>(path)), collected(converted<double>(rows_of(expected.view()))));
  }
  const Csr<T> sparse = compressed(rows_of(expected.view()));
  for (const std::string& ending : kSparseEndings) {
    const auto path = folder.path() / ("m" + ending);
    save<T>(path, view_of(sparse));
    EXPECT_EQ(stored_entries(load<double>(path)), collected(converted<double>(rows_of(expected.view()))));
  }
}

TEST(SaveIntegers, StayIntegersWhereTheFormatHasThem) {
  const TemporaryFolder folder;
  expect_narrow<std::uint8_t>(folder);
  expect_narrow<std::uint16_t>(folder);
}

TEST(SaveIntegers, AreSaidToBeWholeInMatrixMarket) {
  const TemporaryFolder folder;
  const Matrix<double> whole = matrix_of<double>(2, 2, {1, 0, 100000, 3});
  const Matrix<double> parts = matrix_of<double>(2, 2, {1, 0, 2.5, 3});

  save<double>(folder.path() / "w.mtx", view_of(compressed(rows_of(whole.view()))));
  save<double>(folder.path() / "p.mtx", parts.view());

  EXPECT_EQ(read_bytes(folder.path() / "w.mtx"),
            "%%MatrixMarket matrix coordinate integer general\n2 2 3\n1 1 1\n2 1 100000\n2 2 3\n");
  EXPECT_EQ(read_bytes(folder.path() / "p.mtx"),
            "%%MatrixMarket matrix array real general\n2 2\n1\n2.5\n0\n3\n");
}

TEST(Save, KeepsTheOrderOfAStridedView) {
  const TemporaryFolder folder;
  const Matrix<double> all = awkward<double>(6, 8);
  const ConstMatrixView<double> part(all.data() + 2, 6, 5, 8);
  for (const std::string& ending : kAllEndings) {
    const auto path = folder.path() / ("m" + ending);
    save<double>(path, part);
    EXPECT_TRUE(same_bits(stored_entries(load<double>(path)), collected(rows_of(part)))) << ending;
  }
}

TEST(SaveNames, ComeBackFromTablesAndAnnData) {
  const TemporaryFolder folder;
  const Matrix<double> matrix = awkward<double>(13, 3);
  Names names = numbered(13, 3);
  names.rows = {"plain",
                "a,b",
                "a;b",
                "with\ttab",
                "\"quotes\"",
                "one \" quote",
                " blank before",
                "blank behind ",
                "# comment",
                "12",
                "é ñ 名前 😀",
                "1e5",
                ""};
  names.cols = {"nan", "c\"c", "%x"};
  for (const std::string ending : {".csv", ".csv.gz", ".tsv", ".tsv.gz", ".h5ad"}) {
    const auto path = folder.path() / ("m" + ending);
    save<double>(path, matrix.view(), names);
    const auto found = load<double>(path);
    EXPECT_EQ(found.row_names, names.rows) << ending;
    EXPECT_EQ(found.col_names, names.cols) << ending;
    EXPECT_TRUE(same_bits(stored_entries(found), matrix)) << ending;
  }
  const auto path = folder.path() / "s.h5ad";
  save<double>(path, view_of(compressed(rows_of(matrix.view()))), names);
  EXPECT_EQ(load<double>(path).row_names, names.rows);
}

TEST(SaveNames, OfOneSideAloneComeBack) {
  const TemporaryFolder folder;
  for (const Size& size : {Size{1, 1}, Size{2, 1}, Size{1, 2}, Size{4, 3}}) {
    const Matrix<double> matrix(size.rows, size.cols, 3.0);
    for (const std::string ending : {".csv", ".tsv"}) {
      const auto path = folder.path() / ("m" + ending);
      const Names both = numbered(size.rows, size.cols);
      save<double>(path, matrix.view(), {both.rows, {}});
      EXPECT_EQ(load<double>(path).row_names, both.rows) << ending << size.rows << size.cols;
      EXPECT_TRUE(load<double>(path).col_names.empty());
      save<double>(path, matrix.view(), {{}, both.cols});
      EXPECT_EQ(load<double>(path).col_names, both.cols) << ending << size.rows << size.cols;
      EXPECT_TRUE(load<double>(path).row_names.empty());
    }
  }
}

TEST(SaveNames, OfRowsComeBackBesideRowsThatCouldBeNames) {
  const TemporaryFolder folder;
  const Matrix<double> matrix = matrix_of<double>(2, 3, {1, 2, 3, 4, 5, 6});
  const auto path = folder.path() / "m.csv";
  save<double>(path, matrix.view(), {{"NA", "a"}, {}});
  EXPECT_EQ(load<double>(path).row_names, (std::vector<std::string>{"NA", "a"}));
  EXPECT_EQ(stored_entries(load<double>(path)), matrix);
  save<double>(path, matrix.view(), {{"a", "NA"}, {}});
  EXPECT_EQ(load<double>(path).row_names, (std::vector<std::string>{"a", "NA"}));
}

// Alone they would be taken for numbers, so the other side is numbered to make a corner.
TEST(SaveNames, ThatAreNumbersComeBack) {
  const TemporaryFolder folder;
  const Matrix<double> matrix = awkward<double>(3, 3);
  const std::vector<std::string> years = {"1999", "2000", "2001"};
  for (const std::string ending : {".csv", ".tsv"}) {
    const auto path = folder.path() / ("m" + ending);
    for (const Names& names :
         {Names{years, {}}, Names{{}, years}, Names{years, years}, Names{{}, {"", "", ""}}}) {
      save<double>(path, matrix.view(), names);
      const auto found = load<double>(path);
      EXPECT_TRUE(same_bits(stored_entries(found), matrix)) << ending;
      EXPECT_TRUE(names.rows.empty() || found.row_names == names.rows) << ending;
      EXPECT_TRUE(names.cols.empty() || found.col_names == names.cols) << ending;
    }
  }
}

TEST(SaveNames, AreRefusedWhereTheyWouldNotComeBack) {
  const TemporaryFolder folder;
  const Matrix<double> matrix(2, 2, 1.0);
  const auto save_with = [&](const char* name, const Names& names) {
    return message_of<InvalidInput>([&] { save<double>(folder.path() / name, matrix.view(), names); });
  };

  expect_phrase(save_with("m.csv", {{"a", "b\nc"}, {}}), "name of row 1");
  expect_phrase(save_with("m.tsv", {{}, {"a\r", "b"}}), "name of column 0");
  expect_phrase(save_with("m.h5ad", {{"a", std::string("b\0c", 3)}, {}}), "zero bytes");
  expect_phrase(save_with("m.csv", {{"a", "\xff"}, {}}), "is not UTF-8");
  expect_phrase(save_with("m.h5ad", {{"a"}, {}}), "there are 1 names for 2 rows");

  EXPECT_EQ(folder.files(), 0U);
}

TEST(Save, SaysWhichEndingsThereAre) {
  const TemporaryFolder folder;
  const Matrix<double> matrix(2, 2, 1.0);
  for (const std::string name : {"m.xyz", "m", ".csv", "m.npy.gz"}) {
    const std::string message =
        message_of<InvalidInput>([&] { save<double>(folder.path() / name, matrix.view()); });
    expect_phrase(message, ".npy, .npz, .mtx, .mtx.gz, .csv, .csv.gz, .tsv, .tsv.gz, .h5ad, .anmf.");
  }
  expect_phrase(message_of<InvalidInput>([&] {
                  save<double>(folder.path() / "m.npy", view_of(compressed(rows_of(matrix.view()))));
                }),
                "a sparse one goes to .npz");
  expect_phrase(
      message_of<InvalidInput>([&] { save<double>(folder.path() / "m.csv", Matrix<double>().view()); }),
      "a table needs a row and a column");
  EXPECT_EQ(folder.files(), 0U);
}

// The pieces are cut by the problem and not by the threads, so the file is the same wherever it was made.
TEST(Save, GzipIsOneStreamWithARightChecksum) {
  const TemporaryFolder folder;
  const Matrix<double> matrix = awkward<double>(40000, 3);

  save<double>(folder.path() / "m.csv", matrix.view());
  save<double>(folder.path() / "m.csv.gz", matrix.view());

  const std::string plain = read_bytes(folder.path() / "m.csv");
  const std::string packed = read_bytes(folder.path() / "m.csv.gz");
  ASSERT_GT(packed.size(), 18U);
  const auto word = [&](std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t k = 4; k > 0; --k) value = value << 8U | static_cast<unsigned char>(packed[at + k - 1]);
    return value;
  };
  EXPECT_EQ(word(packed.size() - 4), plain.size());
  EXPECT_EQ(word(packed.size() - 8),
            crc32(0, reinterpret_cast<const Bytef*>(plain.data()), static_cast<uInt>(plain.size())));
  EXPECT_LT(packed.size(), plain.size() / 2);
}

TEST(Save, AFullDiskLeavesTheOldFile) {
  const TemporaryFolder folder;
  const Matrix<double> small = awkward<double>(2, 2);
  const Matrix<double> large = awkward<double>(300, 300);
  for (const rlim_t bytes : {rlim_t{512}, rlim_t{30000}}) {
    for (const std::string& ending : kAllEndings) {
      const auto path = folder.path() / ("m" + ending);
      save<double>(path, small.view());
      const std::string before = read_bytes(path);
      const std::size_t files = folder.files();
      {
        const FileSizeLimit limit(bytes);
        const std::string message = message_of<IoError>([&] { save<double>(path, large.view()); });
        expect_phrase(message, "m" + ending);
        expect_phrase(message, "File too large");
      }
      EXPECT_EQ(read_bytes(path), before) << ending;
      EXPECT_EQ(folder.files(), files) << ending;
    }
  }
}

TEST(WriteH5ad, HoldsFactorsWithoutX) {
  const TemporaryFolder folder;
  const Matrix<double> W = awkward<double>(4, 2);
  const Matrix<double> H = awkward<double>(2, 3);
  AnnData<double> data;
  data.observations = 4;
  data.variables = 3;
  data.obsm.emplace_back("X_nmf", rows_of(W.view()));
  data.varm.emplace_back("nmf", columns_of(H.view()));
  data.uns.push_back({"nmf", {{"method", std::string("hals")}, {"rank", Index{2}}, {"error", 0.5}}});

  const auto path = folder.path() / "factors.h5ad";
  write_h5ad(path, data);

  EXPECT_TRUE(same_bits(stored_entries(load<double>(path.string() + "::obsm/X_nmf")), W));
  EXPECT_TRUE(same_bits(stored_entries(load<double>(path.string() + "::varm/nmf")), transposed(H)));
}

}  // namespace
}  // namespace anmf::io::save_test
