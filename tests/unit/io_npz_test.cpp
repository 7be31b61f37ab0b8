// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "anmf/io.h"
#include "support/files_and_messages.h"
#include "support/loaded.h"
#include "support/zip_writer.h"

namespace anmf::io::npz_test {
namespace {

using io_test::expect_phrase;
using io_test::message_of;
using io_test::npy;
using io_test::stored;
using io_test::TemporaryFolder;
using io_test::write_bytes;
using io_test::zip_archive;
using io_test::ZipEntry;
using test::as_read;
using test::matrix_of;
namespace fs = std::filesystem;

std::string array(std::string_view descr, std::string_view shape, std::string_view bytes,
                  std::string_view order = "False") {
  return npy("{'descr': '" + std::string(descr) + "', 'fortran_order': " + std::string(order) +
                 ", 'shape': " + std::string(shape) + ", }\n",
             bytes);
}

// [1 0 2]
// [0 0 0]
// [0 3 4] with the entry 4 in two pieces.
const Matrix<double> kMatrix = matrix_of<double>(3, 3, {1, 0, 2, 0, 0, 0, 0, 3, 4});

struct Parts {
  std::string format = array("|S3", "()", "csr");
  std::string shape = array("<i8", "(2,)", stored<std::int64_t>({3, 3}));
  std::string data = array("<f8", "(5,)", stored<double>({1, 2, 3, 1, 3}));
  std::string indices = array("<i4", "(5,)", stored<std::int32_t>({0, 2, 1, 2, 2}));
  std::string indptr = array("<i4", "(4,)", stored<std::int32_t>({0, 2, 2, 5}));
};

std::vector<ZipEntry> entries(const Parts& parts, bool deflated = false) {
  return {{"indices.npy", parts.indices, deflated},
          {"indptr.npy", parts.indptr, deflated},
          {"format.npy", parts.format, deflated},
          {"shape.npy", parts.shape, deflated},
          {"data.npy", parts.data, deflated}};
}

template <class T = double>
LoadedMatrix<T> load_bytes(std::string_view bytes, const std::string& inside = {}) {
  const TemporaryFolder folder;
  return load<T>(write_bytes(folder, "x.npz", bytes).string() + inside);
}

std::string failure(std::string_view bytes, const std::string& inside = {}) {
  return message_of<InvalidInput>([&] { static_cast<void>(load_bytes(bytes, inside)); });
}

std::string failure(const Parts& parts) { return failure(zip_archive(entries(parts))); }

TEST(SparseNpz, ReadsCsrStoredAndCompressed) {
  for (const bool deflated : {false, true}) {
    const LoadedMatrix<double> loaded = load_bytes(zip_archive(entries({}, deflated)));

    EXPECT_EQ(loaded.data->storage(), Storage::sparse);
    EXPECT_EQ(loaded.data->nonzeros(), 4);
    EXPECT_EQ(as_read(loaded), kMatrix);
  }
}

TEST(SparseNpz, ReadsCscAsTheTransposeOfCsr) {
  Parts parts;
  parts.format = array("<U3", "()", std::string("c\0\0\0s\0\0\0c\0\0\0", 12));  // as older versions wrote it
  EXPECT_EQ(as_read(load_bytes<float>(zip_archive(entries(parts)))),
            matrix_of<float>(3, 3, {1, 0, 0, 0, 0, 3, 2, 0, 4}));
}

TEST(SparseNpz, ReadsCooOfOtherTypes) {
  const std::string format = array("|S3", "()", "coo");
  const std::string shape = array("<i8", "(2,)", stored<std::int64_t>({3, 4}));
  const std::string data = array(">i2", "(3,)", stored<std::int16_t>({1, 2, 7}, true));
  const auto expected = matrix_of<double>(3, 4, {1, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 7});
  const std::string apart =
      zip_archive({{"format.npy", format},
                   {"shape.npy", shape},
                   {"data.npy", data},
                   {"row.npy", array("|u1", "(3,)", std::string("\0\2\2", 3))},
                   {"col.npy", array("<u8", "(3,)", stored<std::uint64_t>({0, 1, 3}))}});
  const std::string together =
      zip_archive({{"format.npy", format},
                   {"shape.npy", shape},
                   {"data.npy", data},
                   {"coords.npy", array("<i4", "(2, 3)", stored<std::int32_t>({0, 2, 2, 0, 1, 3}))}});

  EXPECT_EQ(as_read(load_bytes(apart)), expected);
  EXPECT_EQ(as_read(load_bytes(together)), expected);
}

TEST(SparseNpz, ReadsAMatrixWithoutEntriesAndIgnoresSpareRoom) {
  Parts none;
  none.data = array("<f8", "(0,)", "");
  none.indices = array("<i4", "(0,)", "");
  none.indptr = array("<i4", "(4,)", stored<std::int32_t>({0, 0, 0, 0}));
  EXPECT_EQ(read_npz_sparse<double>([&] {
              static const TemporaryFolder folder;
              return write_bytes(folder, "x.npz", zip_archive(entries(none)));
            }())
                .values.size(),
            0U);

  Parts spare;
  spare.indptr = array("<i4", "(4,)", stored<std::int32_t>({0, 1, 1, 3}));
  EXPECT_EQ(as_read(load_bytes(zip_archive(entries(spare)))),
            matrix_of<double>(3, 3, {1, 0, 0, 0, 0, 0, 0, 3, 2}));
}

TEST(SparseNpz, SaysWhatIsWrongWithItsArrays) {
  Parts parts;
  parts.format = array("|S3", "()", "bsr");
  expect_phrase(failure(parts), "x.npz: sparse format 'bsr' found, expected 'csr', 'csc' or 'coo'.");

  parts = {};
  parts.format = array("<i4", "()", stored<std::int32_t>({3}));
  expect_phrase(failure(parts),
                "x.npz::format: 4 bytes of dtype '<i4' and shape () found, expected one short");

  parts = {};
  parts.shape = array("<i8", "(3,)", stored<std::int64_t>({3, 3, 3}));
  expect_phrase(failure(parts), "x.npz::shape: 3 dimensions found, expected 2: rows and columns.");

  parts = {};
  parts.shape = array("<i8", "(2,)", stored<std::int64_t>({3, std::int64_t{1} << 32}));
  expect_phrase(failure(parts), "x.npz::shape: the matrix is 3 x 4294967296; a sparse matrix may have 0 to");

  parts = {};
  parts.shape = array("<f8", "(2,)", stored<double>({3, 3}));
  expect_phrase(failure(parts), "x.npz::shape: entries of dtype '<f8' found, expected whole numbers.");

  parts = {};
  parts.indices = array("<i4", "(5,)", stored<std::int32_t>({0, 2, 1, 3, 2}));
  expect_phrase(failure(parts), "x.npz::indices: entry 3, counted from 0, is 3, expected 0 to 2.");

  parts = {};
  parts.indices = array("<i4", "(5,)", stored<std::int32_t>({0, -1, 1, 2, 2}));
  expect_phrase(failure(parts), "x.npz::indices: entry 1, counted from 0, is -1, expected 0 to 2.");

  parts = {};
  parts.indices = array("<u8", "(5,)", stored<std::uint64_t>({0, 2, 1, ~std::uint64_t{0}, 2}));
  expect_phrase(failure(parts), "x.npz::indices: entry 3, counted from 0, is too large for 64 bits");

  parts = {};
  parts.indices = array("<i4", "(4,)", stored<std::int32_t>({0, 2, 1, 2}));
  expect_phrase(failure(parts), "x.npz::indices: 4 entries found, expected 5: as many as in data.");

  parts = {};
  parts.indptr = array("<i4", "(3,)", stored<std::int32_t>({0, 2, 5}));
  expect_phrase(failure(parts), "x.npz::indptr: 3 entries found, expected 4: one more than rows");

  for (const auto& [offsets, phrase] :
       {std::pair{stored<std::int32_t>({1, 2, 2, 5}), "entry 0, counted from 0, is 1, expected 0 to 0"},
        std::pair{stored<std::int32_t>({0, 3, 2, 5}), "entry 2, counted from 0, is 2, expected 3 to 5"},
        std::pair{stored<std::int32_t>({0, 2, 2, 6}), "entry 3, counted from 0, is 6, expected 2 to 5"}}) {
    parts = {};
    parts.indptr = array("<i4", "(4,)", offsets);
    expect_phrase(failure(parts), phrase);
  }

  parts = {};
  parts.data = array("<f8", "(5,)", stored<double>({1, 2, -3, 1, 3}));
  expect_phrase(failure(parts), "x.npz: ");
}

TEST(SparseNpz, NamesAnArrayThatIsMissing) {
  std::vector<ZipEntry> all = entries({});
  all.erase(all.begin());
  expect_phrase(failure(zip_archive(all)), "x.npz, member 'indices.npy': is missing.");
}

TEST(PlainNpz, ReadsTheOnlyMatrixAndKeepsItsType) {
  const std::string matrix = array("|u1", "(2, 3)", "\1\2\3\4\5\6", "True");
  const std::string list = array("<f8", "(2,)", stored<double>({1, 2}));
  const std::string words = array("<U1", "(1, 1)", std::string("a\0\0\0", 4));

  for (const bool deflated : {false, true}) {
    const std::string bytes = zip_archive({{"weights.npy", list, deflated},
                                           {"M.npy", matrix, deflated},
                                           {"words.npy", words},
                                           {"notes.txt", "x"}});
    EXPECT_EQ(as_read(load_bytes(bytes)), matrix_of<double>(2, 3, {1, 3, 5, 2, 4, 6}));
  }
}

TEST(PlainNpz, ReadsTheMatrixThatIsNamed) {
  const std::string bytes = zip_archive({{"a.npy", array("<f8", "(1, 2)", stored<double>({1, 2}))},
                                         {"b.npy", array("<f4", "(2, 1)", stored<float>({3, 4}))}});
  const TemporaryFolder folder;
  const std::string path = write_bytes(folder, "x.npz", bytes).string();

  EXPECT_EQ(as_read(load<double>(path + "::b")), matrix_of<double>(2, 1, {3, 4}));
  EXPECT_EQ(load_dense<double>(path + "::a"), matrix_of<double>(1, 2, {1, 2}));
  EXPECT_EQ(read_npz<float>(path, "a"), matrix_of<float>(1, 2, {1, 2}));
  expect_phrase(failure(bytes), "x.npz: holds the matrices 'a', 'b'; choose one, as in x.npz::a.");
  expect_phrase(failure(bytes, "::c"), "x.npz: there is no array 'c', expected one of 'a', 'b'.");
}

TEST(PlainNpz, SaysWhatIsWrongWithItsArrays) {
  const std::string list = array("<f8", "(2,)", stored<double>({1, 2}));

  expect_phrase(failure(zip_archive({{"a.npy", list}})),
                "x.npz::a: 1 dimension found, shape (2,); expected 2");
  expect_phrase(failure(zip_archive({{"a.npy", list}, {"b.npy", list}})),
                "x.npz: none of the arrays 'a', 'b' is a matrix of numbers.");
  expect_phrase(failure(zip_archive({{"a.txt", "1 2"}})), "x.npz: the archive holds no array (.npy).");
  expect_phrase(failure(zip_archive({})), "x.npz: the archive holds no array (.npy).");
  expect_phrase(failure(zip_archive({{"a.npy", array("<f8", "(1, 2)", stored<double>({1, -2}))}})),
                "x.npz::a: M[0, 1] = -2 is negative");
  expect_phrase(failure(zip_archive({{"a.npy", array("<f8", "(4294967296, 4294967296)", "")}})),
                "x.npz::a: a matrix of 4294967296 x 4294967296 has more bytes than 64 bits can count.");
}

TEST(PlainNpz, NeedsNoMemoryForWhatAnArchiveOnlyPromises) {
  const std::string header = array("|u1", "(1000000, 4000)", "");
  const std::int64_t claimed = 4'000'000'000 + static_cast<std::int64_t>(header.size());

  expect_phrase(failure(zip_archive({{"a.npy", header, true, claimed}})),
                "member 'a.npy': promises 40000000");
  expect_phrase(failure(zip_archive({{"a.npy", header, false, claimed}})),
                "member 'a.npy': promises 40000000");
  expect_phrase(failure(zip_archive({{"a.npy", header}})),
                "x.npz::a: the file is truncated: 4000000000 bytes of data expected");
  const std::string more = array("|u1", "(1, 2)", "\1\2\3\4");
  expect_phrase(failure(zip_archive({{"a.npy", more}})), "x.npz::a: the file has trailing bytes: 2 bytes");
}

TEST(PlainNpz, NoticesDamageInsideAMember) {
  const std::string matrix = array("|u1", "(1, 2)", "\1\2");
  const auto size = static_cast<std::int64_t>(matrix.size());

  expect_phrase(
      failure(zip_archive({{"a.npy", matrix, true, -1, 5}})),
      "x.npz, member 'a.npy': the " + std::to_string(size) + " bytes cannot be uncompressed: CRC error.");
  expect_phrase(failure(zip_archive({{"a.npy", matrix, false, -1, -1, 12}})),
                "member 'a.npy': is compressed by method 12, expected 0 (stored) or 8 (deflated).");
  expect_phrase(failure(zip_archive({{"a.npy", matrix, true, size - 1}})),
                "x.npz::a: the file is truncated: 2 bytes of data expected for shape (1, 2)");
  expect_phrase(failure(zip_archive({{"a.npy", matrix, true, size + 1}})), "x.npz::a: the file has trailing");
  const std::string whole = zip_archive({{"a.npy", matrix}});
  expect_phrase(failure(whole.substr(0, whole.size() - 1)), "bytes cannot be read: ");
}

TEST(PlainNpz, IsNoPlaceInsideAFileOfOneMatrix) {
  const TemporaryFolder folder;
  const std::string path = write_bytes(folder, "x.npy", array("|u1", "(1, 2)", "\1\2")).string();
  const auto act = [&] { static_cast<void>(load<double>(path + "::a")); };

  expect_phrase(message_of<InvalidInput>(act),
                "x.npy: holds one matrix, which has no name; '::a' must be left");
}

}  // namespace
}  // namespace anmf::io::npz_test
