// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <matio.h>

#include <cstdint>
#include <string>
#include <vector>

#include "anmf/io.h"
#include "support/files_and_messages.h"
#include "support/loaded.h"

namespace anmf::io {
namespace {

using io_test::expect_phrase;
using io_test::gzip;
using io_test::message_of;
using io_test::read_bytes;
using io_test::TemporaryFolder;
using io_test::write_bytes;
using test::as_read;
using test::matrix_of;
namespace fs = std::filesystem;

// Writes variables with matio, column by column.
class Writer {
 public:
  explicit Writer(const fs::path& path, mat_ft version = MAT_FT_MAT5)
      : file_(Mat_CreateVer(path.c_str(), nullptr, version)) {}
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  ~Writer() { Mat_Close(file_); }

  template <class S>
  void matrix(const char* name, matio_classes type, matio_types stored, std::vector<std::size_t> dims,
              std::vector<S> values, matio_compression packed = MAT_COMPRESSION_NONE) const {
    matvar_t* variable =
        Mat_VarCreate(name, type, stored, static_cast<int>(dims.size()), dims.data(), values.data(), 0);
    Mat_VarWrite(file_, variable, packed);
    Mat_VarFree(variable);
  }

  void doubles(const char* name, const std::vector<std::size_t>& dims, const std::vector<double>& values,
               matio_compression packed = MAT_COMPRESSION_NONE) const {
    matrix<double>(name, MAT_C_DOUBLE, MAT_T_DOUBLE, dims, values, packed);
  }

  // [1 0 2; 0 3 0]
  void sparse(const char* name, std::vector<mat_uint32_t> rows = {0, 1, 0},
              std::vector<mat_uint32_t> offsets = {0, 1, 2, 3}) const {
    std::vector<double> values = {1, 3, 2};
    mat_sparse_t data{};
    data.nzmax = data.nir = data.ndata = 3;
    data.ir = rows.data();
    data.jc = offsets.data();
    data.njc = 4;
    data.data = values.data();
    std::vector<std::size_t> dims = {2, 3};
    matvar_t* variable =
        Mat_VarCreate(name, MAT_C_SPARSE, MAT_T_DOUBLE, 2, dims.data(), &data, MAT_F_DONT_COPY_DATA);
    Mat_VarWrite(file_, variable, MAT_COMPRESSION_NONE);
    Mat_VarFree(variable);
  }

 private:
  mat_t* file_;
};

template <class Write>
fs::path written(const TemporaryFolder& folder, const Write& write, mat_ft version = MAT_FT_MAT5) {
  fs::path path = folder.path() / "x.mat";
  fs::remove(path);
  write(Writer(path, version));
  return path;
}

std::string failure(const fs::path& path) {
  return message_of<InvalidInput>([&] { static_cast<void>(load<double>(path)); });
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
    EXPECT_EQ(loaded.data->storage(), "sparse");
    EXPECT_EQ(as_read(loaded), kMatrix);
  }
}

TEST(Matlab, SaysWhatCannotBeRead) {
  const TemporaryFolder folder;
  const fs::path path = written(folder, [](const Writer& file) {
    file.doubles("A", {1, 2}, {1, 2});
    file.doubles("B", {1, 2}, {1, -2});
    file.doubles("cube", {1, 1, 2}, {1, 2});
  });

  expect_phrase(failure(path), "x.mat: holds the matrices A, B; choose one, as in x.mat::A.");
  expect_phrase(failure(path.string() + "::B"), "x.mat::B: M[0, 1] = -2 is negative");
  expect_phrase(failure(path.string() + "::cube"),
                "x.mat::cube: is no real matrix of numbers with 2 dimensions");
  expect_phrase(failure(path.string() + "::C"), "x.mat::C: there is no variable of that name.");
  expect_phrase(failure(write_bytes(folder, "x.mat.gz", gzip(read_bytes(path)))),
                "is a gzip file of a .mat file");
  expect_phrase(failure(written(folder, [](const Writer& file) { file.sparse("S", {0, 2, 0}); })),
                "x.mat::S: entry 0 of column 1, counted from 0, is in row 2, expected 0 to 1.");
  expect_phrase(
      failure(written(folder, [](const Writer& file) { file.sparse("S", {0, 1, 0}, {0, 2, 1, 3}); })),
      "x.mat::S: column 1, counted from 0, ends at entry 1, expected 2 to 3.");
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

  expect_phrase(failure(write_bytes(folder, "x.mat", bytes)),
                "x.mat, byte 128: the compressed element is damaged.");
}

}  // namespace
}  // namespace anmf::io
