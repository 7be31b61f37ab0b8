// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <matio.h>

#include <cstdint>
#include <string>
#include <vector>

#include "anmf/io.h"
#include "support/matlab_writer.h"
#include "support/reader_test.h"

namespace anmf::io::matlab_test {
namespace {

using io_test::expect_phrase;
using io_test::gzip;
using io_test::load_failure;
using io_test::message_of;
using io_test::read_bytes;
using io_test::stored;
using io_test::TemporaryFolder;
using io_test::write_bytes;
using test::as_read;
using test::matrix_of;
using Writer = io_test::MatlabWriter;
namespace fs = std::filesystem;

template <class Write>
fs::path written(const TemporaryFolder& folder, const Write& write, mat_ft version = MAT_FT_MAT5) {
  fs::path path = folder.path() / "x.mat";
  fs::remove(path);
  write(Writer(path, version));
  return path;
}

const Matrix<double> kMatrix = matrix_of<double>(2, 3, {1, 0, 2, 0, 3, 0});
const std::vector<double> kColumns = {1, 0, 0, 3, 2, 0};

TEST(Matlab, ReadsDenseMatricesOfBothVersions) {
  const TemporaryFolder folder;
  for (const mat_ft version : {MAT_FT_MAT5, MAT_FT_MAT73}) {
    for (const matio_compression packed : {MAT_COMPRESSION_NONE, MAT_COMPRESSION_ZLIB}) {
      const fs::path path =
          written(folder, [&](const Writer& file) { file.doubles("M", {2, 3}, kColumns, packed); }, version);
      EXPECT_EQ(as_read(load<double>(path)), kMatrix);
      EXPECT_EQ(as_read(load<float>(path)), matrix_of<float>(2, 3, {1, 0, 2, 0, 3, 0}));
    }
  }
}

TEST(Matlab, ReadsEntriesOfOtherTypes) {
  const TemporaryFolder folder;
  const fs::path path = written(folder, [&](const Writer& file) {
    file.matrix<std::uint8_t>("u1", MAT_C_UINT8, MAT_T_UINT8, {2, 3}, {1, 0, 0, 3, 2, 0});
    file.matrix<std::uint16_t>("u2", MAT_C_UINT16, MAT_T_UINT16, {2, 3}, {1, 0, 0, 3, 2, 0});
    file.matrix<std::int32_t>("i4", MAT_C_INT32, MAT_T_INT32, {2, 3}, {1, 0, 0, 3, 2, 0});
    file.matrix<std::int64_t>("i8", MAT_C_INT64, MAT_T_INT64, {2, 3}, {1, 0, 0, 3, 2, 0});
    file.matrix<float>("f4", MAT_C_SINGLE, MAT_T_SINGLE, {2, 3}, {1, 0, 0, 3, 2, 0});
  });

  for (const char* name : {"u1", "u2", "i4", "i8", "f4"}) {
    EXPECT_EQ(as_read(load<double>(path.string() + "::" + name)), kMatrix) << name;
  }
}

TEST(Matlab, KeepsSparseMatricesSparse) {
  const TemporaryFolder folder;
  for (const mat_ft version : {MAT_FT_MAT5, MAT_FT_MAT73}) {
    const LoadedMatrix<double> loaded =
        load<double>(written(folder, [](const Writer& file) { file.sparse("S"); }, version));
    EXPECT_EQ(loaded.data->storage(), Storage::sparse);
    EXPECT_EQ(as_read(loaded), kMatrix);
  }
}

// A part of a variable as a machine with the other byte order writes it.
std::string big_endian_part(std::uint32_t type, std::string bytes) {
  const auto length = static_cast<std::uint32_t>(bytes.size());
  bytes.resize((bytes.size() + 7) / 8 * 8);
  return stored<std::uint32_t>({type, length}, true) + bytes;
}

TEST(Matlab, ReadsTheOtherByteOrderAndPartsWithinTheirTags) {
  const TemporaryFolder folder;
  std::string header = "MATLAB 5.0 MAT-file";
  header.resize(124, ' ');
  header += std::string("\1\0MI", 4);
  const std::string variable = big_endian_part(6, stored<std::uint32_t>({6, 0}, true)) +
                               big_endian_part(5, stored<std::int32_t>({2, 3}, true)) +
                               stored<std::uint16_t>({1, 1}, true) + std::string("M\0\0\0", 4) +
                               big_endian_part(3, stored<std::int16_t>({1, 0, 0, 3, 2, 0}, true));

  const fs::path path = write_bytes(folder, "x.mat", header + big_endian_part(14, variable));

  EXPECT_EQ(as_read(load<double>(path)), kMatrix);
}

TEST(Matlab, LeavesTextsAside) {
  const TemporaryFolder folder;
  for (const mat_ft version : {MAT_FT_MAT5, MAT_FT_MAT73}) {
    const fs::path path = written(
        folder,
        [](const Writer& file) {
          file.matrix<std::uint16_t>("text", MAT_C_CHAR, MAT_T_UINT16, {1, 3}, {97, 98, 99});
          file.doubles("M", {2, 3}, kColumns);
        },
        version);
    EXPECT_EQ(as_read(load<double>(path)), kMatrix);
    expect_phrase(load_failure(path.string() + "::text"), "x.mat::text: is no real array of numbers");
  }
}

TEST(Matlab, PassesOverSingleNumbersBesideAMatrix) {
  const TemporaryFolder folder;
  for (const mat_ft version : {MAT_FT_MAT5, MAT_FT_MAT73}) {
    const auto settings = [](const Writer& file) {
      file.doubles("bands", {1, 1}, {198});
      file.doubles("nRow", {1, 1}, {95});
    };
    const fs::path path = written(
        folder,
        [&](const Writer& file) {
          settings(file);
          file.doubles("M", {2, 3}, kColumns);
        },
        version);
    EXPECT_EQ(as_read(load<double>(path)), kMatrix);
    EXPECT_EQ(as_read(load<double>(path.string() + "::nRow")), matrix_of<double>(1, 1, {95}));
    expect_phrase(load_failure(written(folder, settings, version)), "holds the matrices bands, nRow");
  }
}

TEST(Matlab, SaysWhichEntryIsTooLargeForSinglePrecision) {
  const TemporaryFolder folder;
  const fs::path path = written(folder, [](const Writer& file) { file.doubles("M", {1, 2}, {1, 1e300}); });

  EXPECT_NO_THROW(static_cast<void>(load<double>(path)));
  expect_phrase(message_of<InvalidInput>([&] { static_cast<void>(load<float>(path)); }),
                "x.mat::M: entry 1, counted from 0, is 1e+300, too large for single precision.");
}

TEST(Matlab, SaysWhatCannotBeRead) {
  const TemporaryFolder folder;
  const fs::path path = written(folder, [](const Writer& file) {
    file.doubles("A", {1, 2}, {1, 2});
    file.doubles("B", {1, 2}, {1, -2});
    file.doubles("four", {1, 1, 1, 2}, {1, 2});
  });

  expect_phrase(load_failure(path), "x.mat: holds the matrices A, B; choose one, as in x.mat::A.");
  expect_phrase(load_failure(path.string() + "::B"), "x.mat::B: M[0, 1] = -2 is negative");
  expect_phrase(load_failure(path.string() + "::four"),
                "x.mat::four: is no real array of numbers with 2 or 3 dimensions");
  expect_phrase(load_failure(path.string() + "::C"), "x.mat::C: there is no variable of that name.");
  expect_phrase(load_failure(write_bytes(folder, "x.mat.gz", gzip(read_bytes(path)))),
                "is a gzip file of a .mat file");
  expect_phrase(load_failure(written(folder, [](const Writer& file) { file.sparse("S", {0, 2, 0}); })),
                "x.mat::S::ir: entry 1, counted from 0, is 2, expected 0 to 1.");
  expect_phrase(
      load_failure(written(folder, [](const Writer& file) { file.sparse("S", {0, 1, 0}, {0, 2, 1, 3}); })),
      "x.mat::S::jc: entry 2, counted from 0, is 1, expected 2 to 3: offsets begin with 0");
}

TEST(Matlab, IsNeverReadIfAnyByteIsMissing) {
  const TemporaryFolder folder;
  for (const matio_compression packed : {MAT_COMPRESSION_NONE, MAT_COMPRESSION_ZLIB}) {
    const std::string bytes =
        read_bytes(written(folder, [&](const Writer& file) { file.doubles("M", {2, 3}, kColumns, packed); }));
    for (std::size_t size = 8; size < bytes.size(); ++size) {
      const fs::path path = write_bytes(folder, "cut.mat", bytes.substr(0, size));
      EXPECT_THROW(static_cast<void>(load<double>(path)), InvalidInput) << size << " of " << bytes.size();
    }
  }
}

TEST(Matlab, NoticesDamagedCompression) {
  const TemporaryFolder folder;
  std::string bytes = read_bytes(
      written(folder, [](const Writer& file) { file.doubles("M", {2, 3}, kColumns, MAT_COMPRESSION_ZLIB); }));
  bytes.back() = static_cast<char>(bytes.back() ^ 1);  // of the checksum

  expect_phrase(load_failure(write_bytes(folder, "x.mat", bytes)),
                "x.mat, byte 128: the compressed element is damaged.");
}

}  // namespace
}  // namespace anmf::io::matlab_test
