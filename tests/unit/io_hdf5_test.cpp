// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <hdf5.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "anmf/io.h"
#include "support/hdf5_writer.h"
#include "support/reader_test.h"

namespace anmf::io::hdf5_test {
namespace {

using namespace io_test;
using namespace test;
using Writer = io_test::Hdf5Writer;
using Names = std::vector<std::string>;
namespace fs = std::filesystem;

template <class Write>
fs::path written(const TemporaryFolder& folder, const Write& write) {
  fs::path path = folder.path() / "x.h5";
  write(Writer(path));
  return path;
}

const Matrix<double> kMatrix = matrix_of<double>(2, 3, {1, 0, 2, 0, 3, 0});

// The matrix above in CSR or, with its arrays read the other way round, its transpose in CSC.
void write_sparse(const Writer& file, const std::string& group, const char* encoding,
                  const std::vector<std::int64_t>& shape) {
  file.group(group.c_str());
  file.numbers((group + "/data").c_str(), {3}, {1, 2, 3}, H5T_NATIVE_FLOAT);
  file.whole((group + "/indices").c_str(), {0, 2, 1});
  file.whole((group + "/indptr").c_str(), {0, 2, 3});
  if (encoding != nullptr) file.text_attribute(group.c_str(), "encoding-type", encoding);
  if (!shape.empty()) file.shape_attribute(group.c_str(), shape);
}

void write_anndata(const Writer& file) {
  write_sparse(file, "X", "csr_matrix", {2, 3});
  file.group("layers");
  file.numbers("layers/doubled", {2, 3}, {2, 0, 4, 0, 6, 0});
  write_sparse(file, "layers/csc", "csc_matrix", {3, 2});
  file.group("obs");
  file.text_attribute("obs", "_index", "cell");
  file.texts("obs/cell", {"c1", "c2"});
  file.group("var");
  file.texts("var/_index", {"g1", "g2", "\xc3\xa9"}, 5);
}

TEST(Hdf5, ReadsTheOnlyMatrixOrTheOneThatIsNamed) {
  const TemporaryFolder folder;
  const fs::path path = written(folder, [](const Writer& file) {
    file.numbers("M", {2, 3}, {1, 0, 2, 0, 3, 0});
    file.numbers("weights", {2}, {1, 2});
    file.group("deep");
    file.numbers("deep/N", {1, 2}, {4, 5}, H5T_STD_I16BE);
  });

  EXPECT_EQ(as_read(load<double>(path)), kMatrix);
  EXPECT_EQ(as_read(load<double>(path.string() + "::/deep/N")), matrix_of<double>(1, 2, {4, 5}));
  EXPECT_EQ(as_read(load<double>(path.string() + "::M")), kMatrix);
}

TEST(Hdf5, ReadsEntriesOfEveryType) {
  const TemporaryFolder folder;
  for (const hid_t type :
       {H5T_STD_U8LE, H5T_STD_U16BE, H5T_STD_I32LE, H5T_STD_U64LE, H5T_IEEE_F32BE, H5T_IEEE_F64LE}) {
    const fs::path path =
        written(folder, [&](const Writer& file) { file.numbers("M", {2, 3}, {1, 0, 2, 0, 3, 0}, type); });
    EXPECT_EQ(as_read(load<double>(path)), kMatrix);
    EXPECT_EQ(as_read(load<float>(path)), matrix_of<float>(2, 3, {1, 0, 2, 0, 3, 0}));
  }
}

TEST(Hdf5, SaysWhatCannotBeRead) {
  const TemporaryFolder folder;
  const fs::path path = written(folder, [](const Writer& file) {
    file.numbers("a", {1, 2}, {1, 2});
    file.numbers("b", {2, 1}, {1, -2});
    file.numbers("c", {1, 1, 1, 2}, {1, 2});
    file.texts("names", {"x", "y"});
    file.group("empty");
  });
  const std::string name = path.string();

  expect_phrase(load_failure(path), "x.h5: holds the matrices a, b; name one, as in x.h5::/NAME.");
  expect_phrase(load_failure(name + "::/b"), "x.h5::/b: M[1, 0] = -2 is negative");
  expect_phrase(load_failure(name + "::c"),
                "x.h5::/c: 4 dimensions found, shape (1, 1, 1, 2); expected 2, rows and columns, or 3");
  expect_phrase(load_failure(name + "::names"),
                "x.h5::/names: its entries are no numbers of at most 64 bits");
  expect_phrase(load_failure(name + "::/empty"),
                "x.h5::/empty: is a group without the attribute 'encoding-type', expected a dataset");
  expect_phrase(load_failure(name + "::/b/c"),
                "x.h5::/b/c: there is nothing of that name; the file begins with 'a', 'b', 'c', 'empty'");
}

TEST(Hdf5, NeedsNoMemoryForWhatAFileOnlyPromises) {
  const TemporaryFolder folder;
  const fs::path path = written(folder, [](const Writer& file) {
    file.numbers("M", {1'000'000, 1'000'000}, {});
    file.numbers("N", {std::uint64_t{1} << 40, std::uint64_t{1} << 40}, {});
  });

  expect_phrase(load_failure(path.string() + "::M"),
                "the dataset of 1000000 x 1000000 promises 8000000000000 bytes, but the 0 that are stored");
  EXPECT_THROW(static_cast<void>(load<double>(path.string() + "::N")), InvalidInput);
}

TEST(Hdf5, RefusesAFileThatIsCutOffOrCompressed) {
  const TemporaryFolder folder;
  const fs::path path = written(folder, [](const Writer& file) { file.numbers("M", {1, 2}, {1, 2}); });
  const std::string bytes = read_bytes(path);

  expect_phrase(load_failure(write_bytes(folder, "y.h5", bytes.substr(0, bytes.size() / 2))),
                "y.h5: the HDF5 file of " + std::to_string(bytes.size() / 2) + " bytes cannot be opened.");
  expect_phrase(load_failure(write_bytes(folder, "y.h5.gz", gzip(bytes))), "is a gzip file of a HDF5 file");
}

TEST(AnnData, ReadsXAndLayersWithNames) {
  const TemporaryFolder folder;
  const fs::path path = written(folder, write_anndata);

  const LoadedMatrix<double> X = load<double>(path);
  const LoadedMatrix<double> doubled = load<double>(path.string() + "::layers/doubled");

  EXPECT_EQ(X.data->storage(), Storage::sparse);
  EXPECT_EQ(as_read(X), kMatrix);
  EXPECT_EQ(X.row_names, (Names{"c1", "c2"}));
  EXPECT_EQ(X.col_names, (Names{"g1", "g2", "\xc3\xa9"}));
  EXPECT_EQ(doubled.data->storage(), Storage::dense);
  EXPECT_EQ(as_read(doubled), matrix_of<double>(2, 3, {2, 0, 4, 0, 6, 0}));
  EXPECT_EQ(doubled.row_names, X.row_names);
}

TEST(AnnData, SaysWhatIsWrong) {
  const TemporaryFolder folder;
  const auto with = [&](const auto& change) { return load_failure(written(folder, change)); };
  const auto frames = [](const Writer& file) {
    file.group("obs");
    file.group("var");
  };

  expect_phrase(with([&](const Writer& file) {
                  frames(file);
                  write_sparse(file, "X", "coo_matrix", {2, 3});
                }),
                "x.h5::/X: is a group encoded as 'coo_matrix', expected a dataset, or a group encoded as "
                "'csr_matrix' or ");
  expect_phrase(with([&](const Writer& file) {
                  frames(file);
                  write_sparse(file, "X", "csr_matrix", {2});
                }),
                "x.h5::/X: the attribute 'shape' is (2), expected rows and columns of 0 to");
  expect_phrase(with([&](const Writer& file) {
                  frames(file);
                  write_sparse(file, "X", "csr_matrix", {2, 2});
                }),
                "x.h5::/X/indices: entry 1, counted from 0, is 2, expected 0 to 1.");
  expect_phrase(with([&](const Writer& file) {
                  frames(file);
                  write_sparse(file, "X", "csr_matrix", {3, 3});
                }),
                "x.h5::/X/indptr: 3 entries found, expected 4: one more than rows");
  expect_phrase(with([&](const Writer& file) {
                  frames(file);
                  write_sparse(file, "X", "csr_matrix", {2, 3});
                  file.texts("obs/_index", {"c1", "c2", "c3"});
                }),
                "x.h5::/obs/_index: 3 names found, expected 2.");
  expect_phrase(with([&](const Writer& file) {
                  frames(file);
                  write_sparse(file, "X", "csr_matrix", {2, 3});
                  file.texts("obs/_index", {"c1", "\xff"});
                }),
                "x.h5::/obs/_index: name 1, counted from 0, is '\\xff', which is not UTF-8.");
}

TEST(TenXHdf5, ReadsFeaturesTimesBarcodes) {
  const TemporaryFolder folder;
  for (const bool newer : {true, false}) {
    const LoadedMatrix<double> loaded = load<double>(written(folder, [&](const Writer& file) {
      const std::string group = newer ? "matrix" : "GRCh38";
      write_sparse(file, group, nullptr, {});
      file.whole((group + "/shape").c_str(), {3, 2});
      file.texts((group + "/barcodes").c_str(), {"AAA-1", "CCC-1"}, 18);
      if (newer) file.group("matrix/features");
      file.texts(newer ? "matrix/features/name" : "GRCh38/gene_names", {"g1", "g2", "g3"}, 8);
    }));

    EXPECT_EQ(as_read(loaded), matrix_of<double>(3, 2, {1, 0, 0, 3, 2, 0}));
    EXPECT_EQ(loaded.row_names, (Names{"g1", "g2", "g3"}));
    EXPECT_EQ(loaded.col_names, (Names{"AAA-1", "CCC-1"}));
  }
}

}  // namespace
}  // namespace anmf::io::hdf5_test
