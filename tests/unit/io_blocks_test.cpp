// SPDX-License-Identifier: MIT
// Files in blocks against the same files in memory, the container, and files that change or are damaged.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "anmf/io.h"
#include "support/files_and_messages.h"
#include "support/hdf5_writer.h"
#include "support/loaded.h"

namespace anmf::io::blocks_test {
namespace {

using io_test::expect_phrase;
using io_test::message_of;
using io_test::read_bytes;
using io_test::stored;
using io_test::TemporaryFolder;
using io_test::write_to;
using test::as_read;
namespace fs = std::filesystem;

/// 150 x 7: three blocks of 48 rows and a rest; row 3 and column 5 are empty.
template <class T>
Matrix<T> example(Index rows = 150, Index cols = 7, int largest = 250) {
  Matrix<T> M(rows, cols);
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < cols; ++j) {
      if (i == 3 || j == 5 || (i * 5 + j * 3) % 4 == 0) continue;
      M(i, j) = static_cast<T>(1 + (i * 7 + j * 11) % largest);
    }
  }
  return M;
}

template <class T>
Csr<T> sparse(const Matrix<T>& M) {
  Csr<T> result{M.rows(), M.cols(), {0}, {}, {}};
  for (Index i = 0; i < M.rows(); ++i) {
    for (Index j = 0; j < M.cols(); ++j) {
      if (M(i, j) == T{0}) continue;
      result.indices.push_back(static_cast<std::uint32_t>(j));
      result.values.push_back(M(i, j));
    }
    result.offsets.push_back(static_cast<Index>(result.values.size()));
  }
  return result;
}

/// The lines that the blocks give one after another, as M.
template <class T>
Matrix<T> assembled(BlockSource<T>& source) {
  Matrix<T> M(source.rows(), source.cols());
  const bool by_rows = source.layout() == Layout::row_major;
  const auto put = [&](Index line, Index k, T value) { (by_rows ? M(line, k) : M(k, line)) = value; };
  BlockEntries<T> entries;
  for (Index block = 0; block < source.blocks(); ++block) {
    source.read(block, entries);
    const Index first = source.first_line(block);
    const Index count = source.first_line(block + 1) - first;
    std::visit(
        [&]<class E>(const E& lines) {
          if constexpr (std::is_same_v<E, Csr<T>>) {
            EXPECT_EQ(lines.rows, count);
            EXPECT_EQ(lines.offsets.size(), static_cast<std::size_t>(count) + 1);
            for (std::size_t i = 0; i + 1 < lines.offsets.size(); ++i) {
              for (auto k = static_cast<std::size_t>(lines.offsets[i]);
                   std::cmp_less(k, lines.offsets[i + 1]); ++k)
                put(first + static_cast<Index>(i), lines.indices[k], lines.values[k]);
            }
          } else {
            EXPECT_EQ(lines.rows(), count);
            for (Index i = 0; i < lines.rows(); ++i) {
              for (Index k = 0; k < lines.cols(); ++k) put(first + i, k, static_cast<T>(lines(i, k)));
            }
          }
        },
        entries);
  }
  return M;
}

/// Parts of the file, some of which cut blocks, as blocks and in memory.
template <class T>
void expect_parts(const fs::path& path, const Matrix<T>& whole, double most_bytes) {
  const auto ranges = [](Index size) {
    return std::vector<RowRange>{{0, size}, {0, 1}, {size - 1, 1}, {size / 3, size / 2}};
  };
  for (const RowRange rows : ranges(whole.rows())) {
    for (const RowRange cols : ranges(whole.cols())) {
      Matrix<T> expected(rows.count, cols.count);
      for (Index i = 0; i < rows.count; ++i) {
        for (Index j = 0; j < cols.count; ++j) expected(i, j) = whole(rows.begin + i, cols.begin + j);
      }
      const auto source = open_part<T>(path, {rows, cols}, most_bytes);
      EXPECT_EQ(assembled(*source), expected) << path << " " << rows.begin << ", " << cols.begin;
      EXPECT_EQ(as_read(collect(*source)), expected) << path << " " << rows.begin << ", " << cols.begin;
    }
  }
}

/// Blocks of 48 lines, of 96, and all in one give what load() gives. There are so many lines, whether rows or
/// columns; if that is not said, it depends on the size of the blocks.
template <class T>
void expect_same_as_loaded(const fs::path& path, std::optional<Index> all_lines = {}) {
  const Matrix<T> whole = as_read(load<T>(path));
  for (const double most_bytes : {0.0, 8000.0, 1e9}) {
    const auto source = open_blocks<T>(path, most_bytes);
    ASSERT_NE(source, nullptr) << path;
    EXPECT_EQ(assembled(*source), whole) << path << " " << most_bytes;
    EXPECT_EQ(assembled(*transposed(open_blocks<T>(path, most_bytes))), transposed(whole));
    expect_parts(path, whole, most_bytes);
    for (Index block = 0; block + 1 < source->blocks(); ++block) EXPECT_EQ(source->first_line(block) % 48, 0);
    const Index lines =
        all_lines.value_or(source->layout() == Layout::row_major ? whole.rows() : whole.cols());
    EXPECT_EQ(source->first_line(source->blocks()), lines);
    if (most_bytes != 8000) {
      EXPECT_EQ(source->blocks(), most_bytes == 0 ? (lines + 47) / 48 : 1) << path;
    }
  }
}

std::string npy_file(const std::string& descr, bool fortran, const Matrix<double>& M) {
  std::string data;
  const Matrix<double> lines = fortran ? transposed(M) : M;
  for (const double value : lines.values()) {
    if (descr == "<f8") data += stored<double>({value});
    if (descr == "<f4") data += stored<float>({static_cast<float>(value)});
    if (descr == "|u1") data += stored<std::uint8_t>({static_cast<std::uint8_t>(value)});
    if (descr == "<u2") data += stored<std::uint16_t>({static_cast<std::uint16_t>(value)});
    if (descr == ">i4") data += stored<std::int32_t>({static_cast<std::int32_t>(value)}, true);
  }
  return io_test::npy("{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") +
                          ", 'shape': (" + std::to_string(M.rows()) + ", " + std::to_string(M.cols()) +
                          "), }\n",
                      data);
}

TEST(Blocks, OfNpyFilesAreTheirRowsOrColumns) {
  const TemporaryFolder folder;
  const Matrix<double> M = example<double>();
  for (const std::string descr : {"<f8", "<f4", "|u1", "<u2", ">i4"}) {
    for (const bool fortran : {false, true}) {
      const fs::path path = folder.path() / "M.npy";
      write_to(path, npy_file(descr, fortran, M));
      expect_same_as_loaded<double>(path);
      expect_same_as_loaded<float>(path);
      // 48 columns would be all of the 7, of 150 entries each: rows are less.
      const Layout stored = fortran ? Layout::column_major : Layout::row_major;
      EXPECT_EQ(open_blocks<double>(path, 1e9)->layout(), stored);
      EXPECT_EQ(open_blocks<double>(path, 0)->layout(), Layout::row_major);
      EXPECT_EQ(open_blocks<double>(path, 0)->bytes_in_memory(0),
                48 * 7 * (descr == ">i4" ? 8 : descr[2] - '0'));
      write_to(path, npy_file(descr, fortran, transposed(M)));
      expect_same_as_loaded<double>(path);
      EXPECT_EQ(open_blocks<double>(path, 0)->layout(), Layout::column_major);
    }
  }
}

void write_h5ad_example(const fs::path& path, bool by_rows, const Matrix<double>& M) {
  // Unsorted, a position twice, and an explicit zero in every line but the empty one.
  const Matrix<double> lines = by_rows ? M : transposed(M);
  std::vector<double> offsets = {0};
  std::vector<double> indices;
  std::vector<double> values;
  for (Index i = 0; i < lines.rows(); ++i) {
    for (Index k = lines.cols() - 1; k >= 0; --k) {
      if (lines(i, k) == 0 && k != 5) continue;
      indices.push_back(static_cast<double>(k));
      values.push_back(lines(i, k) / 2);
      if (lines(i, k) == 0) continue;
      indices.push_back(static_cast<double>(k));
      values.push_back(lines(i, k) / 2);
    }
    offsets.push_back(static_cast<double>(values.size()));
  }
  const io_test::Hdf5Writer file(path);
  file.group("obs");
  file.group("var");
  file.group("X");
  file.text_attribute("X", "encoding-type", by_rows ? "csr_matrix" : "csc_matrix");
  file.shape_attribute("X", {M.rows(), M.cols()});
  file.whole("X/indptr", offsets);
  file.whole("X/indices", indices);
  file.numbers("X/data", {values.size()}, values);
}

TEST(Blocks, OfHdf5FilesAreCanonical) {
  const TemporaryFolder folder;
  const Matrix<double> M = example<double>();
  for (const bool by_rows : {true, false}) {
    const fs::path path = folder.path() / (by_rows ? "r.h5ad" : "c.h5ad");
    write_h5ad_example(path, by_rows, M);
    expect_same_as_loaded<double>(path, by_rows ? 150 : 7);
    EXPECT_EQ(assembled(*open_blocks<double>(path, 0)), M);
    EXPECT_TRUE(read_annotations(path).anndata);
  }
  const fs::path dense = folder.path() / "dense.h5";
  {
    const io_test::Hdf5Writer file(dense);
    file.numbers("M", {150, 7}, {M.values().begin(), M.values().end()}, H5T_NATIVE_UINT16);
  }
  expect_same_as_loaded<double>(dense, 150);
}

TEST(Blocks, OfTenXFilesAreTheirCells) {
  const TemporaryFolder folder;
  const Matrix<double> M = example<double>(9, 100);  // features x barcodes, by columns
  std::vector<double> offsets = {0};
  std::vector<double> indices;
  std::vector<double> values;
  Names names;
  for (Index i = 0; i < M.rows(); ++i) names.rows.push_back("gene " + std::to_string(i));
  for (Index j = 0; j < M.cols(); ++j) {
    names.cols.push_back("cell " + std::to_string(j));
    for (Index i = 0; i < M.rows(); ++i) {
      if (M(i, j) == 0) continue;
      indices.push_back(static_cast<double>(i));
      values.push_back(M(i, j));
    }
    offsets.push_back(static_cast<double>(values.size()));
  }
  const fs::path path = folder.path() / "cells.h5";
  {
    const io_test::Hdf5Writer file(path);
    file.group("matrix");
    file.whole("matrix/shape", {9, 100});
    file.whole("matrix/data", values);
    file.whole("matrix/indices", indices);
    file.whole("matrix/indptr", offsets);
    file.texts("matrix/barcodes", names.cols);
    file.group("matrix/features");
    file.texts("matrix/features/name", names.rows);
  }
  expect_same_as_loaded<double>(path, 100);
  const auto source = open_blocks<double>(path, 0);
  EXPECT_EQ(source->layout(), Layout::column_major);
  EXPECT_EQ(source->blocks(), 3);
  EXPECT_EQ(assembled(*source), M);
  EXPECT_EQ(read_annotations(path).names.rows, names.rows);
  EXPECT_EQ(read_annotations(path).names.cols, names.cols);
}

TEST(Blocks, AreNotMadeOfTextAndArchives) {
  const TemporaryFolder folder;
  const fs::path path = io_test::write_bytes(folder, "M.csv", "1,2\n3,4\n");
  EXPECT_EQ(open_blocks<double>(path, 1e6), nullptr);
}

TEST(Blocks, NameNegativeEntriesOrClipThem) {
  const TemporaryFolder folder;
  Matrix<double> M = example<double>();
  M(100, 2) = -3;
  const fs::path path = folder.path() / "M.npy";
  write_npy<double>(path, std::as_const(M).view());
  const auto source = open_blocks<double>(path, 0);
  BlockEntries<double> entries;
  source->read(0, entries);
  expect_phrase(message_of<NegativeEntry>([&] { source->read(2, entries); }),
                "M.npy: M[100, 2] = -3 is negative");
  const auto part = open_part<double>(path, {{90, 60}, {1, 4}}, 0);
  expect_phrase(message_of<NegativeEntry>([&] { part->read(0, entries); }),
                "M.npy: M[100, 2] = -3 is negative");
  M(100, 2) = 0;
  const auto clipping = open_blocks<double>(path, 0, Negative::clip);
  EXPECT_EQ(assembled(*clipping), M);
  EXPECT_EQ(clipping->clipped(), 1);
  EXPECT_EQ(assembled(*clipping), M);
  EXPECT_EQ(clipping->clipped(), 2);  // whoever reads twice counts twice
  const StreamedData<double> data(transposed(open_blocks<double>(path, 0, Negative::clip)));
  EXPECT_EQ(data.clipped(), 1);
}

TEST(Container, HoldsEveryTypeOfValueExactly) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "M.anmf";
  const Names names = {{}, {"a", "", "caf\xc3\xa9", "d e", "f\n", "g", std::string("h\0i", 3)}};
  std::size_t smallest = 0;
  for (const double factor : {1.0, 200.0, 1e6, 0.5, 0.1, 1e300, 1e12}) {
    Matrix<double> M = example<double>();
    for (double& value : M.values()) value *= factor;
    write_container(path, view_of(sparse(M)), names);
    if (smallest == 0) smallest = fs::file_size(path);
    EXPECT_GE(fs::file_size(path), smallest);
    const auto loaded = load<double>(path);
    EXPECT_EQ(loaded.data->storage(), Storage::sparse);
    EXPECT_EQ(as_read(loaded), M) << factor;
    EXPECT_EQ(loaded.row_names, names.rows);
    EXPECT_EQ(loaded.col_names, names.cols);
    EXPECT_EQ(read_annotations(path).names.cols, names.cols);
    EXPECT_EQ(loaded.single_precision, factor == 1 || factor == 200 || factor == 0.5) << factor;
    EXPECT_EQ(assembled(*open_blocks<double>(path, 0)), M);
  }
}

TEST(Container, TakesLinesInEitherOrderFromAnySource) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "M.anmf";
  const Matrix<double> M = example<double>(2500, 120);  // of several stored blocks
  write_npy<double>(folder.path() / "M.npy", M.view());
  for (const bool turned : {false, true}) {
    auto source = open_blocks<double>(folder.path() / "M.npy", 1e5);
    if (turned) source = transposed(std::move(source));
    Index calls = 0;
    write_container<double>(path, *source, {}, [&](Index) { ++calls; });
    EXPECT_EQ(calls, source->blocks());
    const Matrix<double> expected = turned ? transposed(M) : M;
    EXPECT_EQ(as_read(load<double>(path)), expected);
    const auto blocks = open_blocks<float>(path, 0);
    EXPECT_EQ(blocks->layout(), turned ? Layout::column_major : Layout::row_major);
    EXPECT_GT(blocks->blocks(), 1);
    EXPECT_EQ(assembled(*blocks), as_read(load<float>(path)));
  }
}

TEST(Container, MayHoldNothingButSizes) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "M.anmf";
  write_container(path, CsrView<double>{2, 9, std::vector<Index>{0, 0, 0}, {}, {}});
  EXPECT_EQ(as_read(load<double>(path)), Matrix<double>(2, 9));
  EXPECT_EQ(assembled(*open_blocks<double>(path, 0)), Matrix<double>(2, 9));
}

TEST(Container, DropsWhatSinglePrecisionTakesForZero) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "M.anmf";
  write_container(path, view_of(sparse(test::matrix_of<double>(2, 2, {1e-300, 2, 3, 0}))));
  BlockEntries<float> entries;
  open_blocks<float>(path, 0)->read(0, entries);
  EXPECT_EQ(std::get<Csr<float>>(entries).values, (std::vector<float>{2, 3}));
  write_container(path, view_of(sparse(test::matrix_of<double>(1, 2, {1e300, 0.1}))));
  expect_phrase(message_of<InvalidInput>([&] { open_blocks<float>(path, 0)->read(0, entries); }),
                "block 0 (rows 0 to 0, counted from 0): a value is not positive and finite in single");
}

TEST(Container, NoticesEveryChangedByteAndEveryMissingOne) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "M.anmf";
  write_container(path, view_of(sparse(example<double>(13, 4, 9))), {{}, {"a", "b", "c", "d"}});
  const std::string whole = read_bytes(path);
  const auto refused = [&](const std::string& bytes) {
    write_to(path, bytes);
    try {
      static_cast<void>(load<double>(path));
    } catch (const InvalidInput& error) {
      return std::string(error.what()).find("M.anmf") != std::string::npos;
    }
    return false;
  };
  for (std::size_t k = 0; k < whole.size(); ++k) {
    std::string changed = whole;
    changed[k] = static_cast<char>(changed[k] ^ 4);
    EXPECT_TRUE(refused(changed)) << k;
    EXPECT_TRUE(refused(whole.substr(0, k))) << k;
  }
  EXPECT_TRUE(refused(whole + "x"));
  std::string changed = whole;
  changed[100] = static_cast<char>(changed[100] ^ 1);
  write_to(path, changed);
  const auto source = open_blocks<double>(path, 0);  // the index is sound
  BlockEntries<double> entries;
  const std::string message = message_of<InvalidInput>([&] { source->read(0, entries); });
  expect_phrase(message, "M.anmf: block 0 (rows 0 to 12, counted from 0): the checksum is ");
  expect_phrase(message, "the file is damaged.");
}

TEST(Blocks, NoticeFilesThatChange) {
  const TemporaryFolder folder;
  const Matrix<double> M = example<double>();
  write_npy<double>(folder.path() / "M.npy", M.view());
  write_container(folder.path() / "M.anmf", view_of(sparse(M)));
  write_h5ad_example(folder.path() / "M.h5ad", true, M);
  for (const std::string name : {"M.npy", "M.anmf", "M.h5ad"}) {
    const fs::path path = folder.path() / name;
    const std::string whole = read_bytes(path);
    BlockEntries<double> entries;
    const auto touched = open_blocks<double>(path, 0);
    touched->read(0, entries);
    fs::last_write_time(path, fs::last_write_time(path) + std::chrono::seconds(2));
    expect_phrase(
        message_of<IoError>([&] { touched->read(0, entries); }),
        name + ": the file has changed since it was opened: it was written to, which was noticed at block 0");
    const auto cut = open_blocks<double>(path, 0);
    fs::resize_file(path, whole.size() - 1);
    expect_phrase(
        message_of<IoError>([&] { cut->read(0, entries); }),
        "it had " + std::to_string(whole.size()) + " bytes and has " + std::to_string(whole.size() - 1));
  }
}

TEST(Blocks, RefuseSizesThatCannotBe) {
  const TemporaryFolder folder;
  const auto refusal = [&](const std::string& shape) {
    const fs::path path = io_test::write_bytes(
        folder, "M.npy",
        io_test::npy("{'descr': '<f8', 'fortran_order': False, 'shape': " + shape + ", }\n", "12345678"));
    return message_of<InvalidInput>([&] { static_cast<void>(open_blocks<double>(path, 1e6)); });
  };
  expect_phrase(refusal("(1099511627776, 1)"), "the file is truncated: 8796093022208 bytes of data expected");
  expect_phrase(refusal("(1099511627776, 1099511627776)"), "more bytes than 64 bits can count");
  expect_phrase(refusal("(4611686018427387904, 1)"), "more bytes than 64 bits can count");

  const fs::path huge = folder.path() / "huge.npy";  // a hole in the file system takes no room
  write_to(huge,
           io_test::npy("{'descr': '|u1', 'fortran_order': False, 'shape': (1099511627776, 3), }\n", ""));
  const std::uint64_t start = fs::file_size(huge);
  fs::resize_file(huge, start + 3 * (std::uint64_t{1} << 40));
  const auto source = open_blocks<double>(huge, 1e6);
  EXPECT_EQ(source->rows(), Index{1} << 40);
  const Index last = source->blocks() - 1;
  EXPECT_EQ(source->first_line(last + 1), Index{1} << 40);
  BlockEntries<double> entries;
  source->read(last, entries);
  EXPECT_EQ(std::get<Matrix<std::uint8_t>>(entries).rows(), (Index{1} << 40) - source->first_line(last));
}

}  // namespace
}  // namespace anmf::io::blocks_test
