// SPDX-License-Identifier: MIT
// HDF5 files that the library itself does not bear, or that lead it to other files.
#include <gtest/gtest.h>
#include <hdf5.h>

#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "anmf/io.h"
#include "support/hdf5_writer.h"
#include "support/reader_test.h"

namespace anmf::io::hdf5_damage_test {
namespace {

using namespace io_test;
using namespace test;
using Writer = io_test::Hdf5Writer;
using Names = std::vector<std::string>;
namespace fs = std::filesystem;

// The library cannot close what it could not open, and says so when the process ends.
[[maybe_unused]] const herr_t kNothingAtExit = H5dont_atexit();

const Names kCells = {"first cell", "b", "", "the fourth cell"};
const Names kGenes = {"ACTB", "CD3E", "\xc3\xa9"};

/// How datasets are stored, closed by itself.
class Creation {
 public:
  explicit Creation(const std::function<void(hid_t)>& set) : id_(H5Pcreate(H5P_DATASET_CREATE)) { set(id_); }
  Creation(const Creation&) = delete;
  Creation& operator=(const Creation&) = delete;
  ~Creation() { H5Pclose(id_); }
  [[nodiscard]] hid_t id() const { return id_; }

 private:
  hid_t id_;
};

Creation in_chunks(std::vector<hsize_t> lengths) {
  return Creation([&](hid_t list) {
    H5Pset_chunk(list, static_cast<int>(lengths.size()), lengths.data());
    H5Pset_shuffle(list);
    H5Pset_deflate(list, 6);
    if (lengths.size() > 1) H5Pset_fletcher32(list);  // which the library does not allow for names
  });
}

void write_frame(const Writer& file, const char* frame, const Names& names, hid_t creation) {
  file.group(frame);
  file.text_attribute(frame, "_index", "name", true);
  file.texts((std::string(frame) + "/name").c_str(), names, 0, creation);
}

/// CSR with names of any length, as AnnData writes it.
void write_sparse_cells(const fs::path& path) {
  const Writer file(path);
  file.group("X");
  file.text_attribute("X", "encoding-type", "csr_matrix", true);
  file.shape_attribute("X", {4, 3});
  file.numbers("X/data", {5}, {1, 2, 3, 4, 5}, H5T_NATIVE_FLOAT);
  file.whole("X/indices", {0, 2, 1, 0, 2});
  file.whole("X/indptr", {0, 2, 3, 4, 5});
  write_frame(file, "obs", kCells, H5P_DEFAULT);
  write_frame(file, "var", kGenes, H5P_DEFAULT);
}

/// A dense matrix and names, all in chunks that are compressed.
void write_packed_cells(const fs::path& path) {
  const Writer file(path);
  const Creation numbers = in_chunks({3, 2});
  const Creation names = in_chunks({3});
  file.numbers("X", {4, 3}, {1, 0, 2, 0, 3, 0, 4, 0, 0, 0, 0, 5}, H5T_NATIVE_DOUBLE, numbers.id());
  write_frame(file, "obs", kCells, names.id());
  write_frame(file, "var", kGenes, names.id());
}

void flip(const fs::path& path, std::size_t bit) {
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekg(static_cast<std::streamoff>(bit / 8));
  const int byte = file.get() ^ (1 << bit % 8);
  file.seekp(static_cast<std::streamoff>(bit / 8));
  file.put(static_cast<char>(byte));
}

#ifdef ANMF_SAMPLE_SLOW_TESTS
constexpr std::size_t kFlips = 200;
#else
constexpr std::size_t kFlips = 2000;
#endif

// Flips bits all over the file, one at a time: a crash or a loop without end fails the test.
void expect_answers(const fs::path& path) {
  const std::size_t bits = 8 * fs::file_size(path);
  std::size_t answers = 0;
  for (std::size_t i = 0; i < kFlips; ++i) {
    const std::size_t bit = i * bits / kFlips + i % 8;  // not the same bit of every byte
    flip(path, bit);
    try {
      static_cast<void>(load<double>(path));
      ++answers;
    } catch (const InvalidInput&) {
      ++answers;
    } catch (const IoError&) {
      ++answers;
    }
    flip(path, bit);
  }
  EXPECT_EQ(answers, kFlips);
}

class DamagedHdf5 : public testing::TestWithParam<void (*)(const fs::path&)> {};

TEST_P(DamagedHdf5, GetsAnAnswerForEveryFlippedBit) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "x.h5ad";
  GetParam()(path);
  const LoadedMatrix<double> loaded = load<double>(path);
  EXPECT_EQ(as_read(loaded), matrix_of<double>(4, 3, {1, 0, 2, 0, 3, 0, 4, 0, 0, 0, 0, 5}));
  EXPECT_EQ(loaded.row_names, kCells);
  EXPECT_EQ(loaded.col_names, kGenes);

  expect_answers(path);
}

INSTANTIATE_TEST_SUITE_P(AnnData, DamagedHdf5, testing::Values(write_sparse_cells, write_packed_cells),
                         [](const auto& made) { return made.index == 0 ? "Sparse" : "Packed"; });

TEST(Hdf5Names, AreReadWhereverTheyAreStored) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "x.h5ad";
  const Creation compact([](hid_t list) { H5Pset_layout(list, H5D_COMPACT); });
  {
    const Writer file(path);
    file.numbers("X", {4, 3}, std::vector<double>(12, 1));
    write_frame(file, "obs", kCells, compact.id());
    write_frame(file, "var", kGenes, in_chunks({2}).id());
  }
  EXPECT_EQ(load<double>(path).row_names, kCells);
  EXPECT_EQ(load<double>(path).col_names, kGenes);
}

TEST(Hdf5Names, ThatLeadNowhereAreAnError) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "x.h5ad";
  write_sparse_cells(path);
  const std::string good = read_bytes(path);
  const auto broken = [&](std::size_t at, char byte) {
    std::string bytes = good;
    bytes[at] = byte;
    return load_failure(write_bytes(folder, "y.h5ad", bytes));
  };
  // The object of a heap before its text: number, references, 4 unused bytes, 8 of the size.
  const std::size_t name = good.find("first cell");
  const std::size_t heap = good.rfind("GCOL", name);

  expect_phrase(broken(heap, 'g'), "y.h5ad: the HDF5 file is damaged: a name lies outside of the heaps.");
  expect_phrase(
      broken(name - 8, 2),
      "y.h5ad::/obs/name: the HDF5 file is damaged: text 0, counted from 0, has 10 bytes in a place "
      "where there are not as many.");
  expect_phrase(broken(name - 16, 99), "text 0, counted from 0, has 10 bytes in a place");
  expect_phrase(broken(name - 3, 1), "the HDF5 file is damaged: a part of it ends too early.");
}

TEST(Hdf5Files, DoNotLeadToOthers) {
  const TemporaryFolder folder;
  const fs::path other = folder.path() / "other.h5";
  const std::vector<double> values = {1, 2, 3, 4};
  Writer(other).numbers("M", {2, 2}, values);
  std::ofstream(folder.path() / "raw", std::ios::binary)
      .write(reinterpret_cast<const char*>(values.data()), 4 * sizeof(double));
  const fs::path path = folder.path() / "x.h5";
  const std::string name = path.string();
  {
    const Writer file(path);
    const Creation external(
        [&](hid_t list) { H5Pset_external(list, (folder.path() / "raw").c_str(), 0, 4 * sizeof(double)); });
    const Creation virtual_one([&](hid_t list) {
      const hsize_t shape[] = {2, 2};
      const hid_t space = H5Screate_simple(2, shape, nullptr);
      H5Pset_virtual(list, space, other.c_str(), "M", space);
      H5Sclose(space);
    });
    file.numbers("external", {2, 2}, {}, H5T_NATIVE_DOUBLE, external.id());
    file.numbers("virtual", {2, 2}, {}, H5T_NATIVE_DOUBLE, virtual_one.id());
    H5Lcreate_external(other.c_str(), "/", file.id(), "link", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("/link/M", file.id(), "soft", H5P_DEFAULT, H5P_DEFAULT);
  }
  for (const char* place : {"external", "virtual"}) {
    expect_phrase(load_failure(name + "::" + place),
                  std::string("x.h5::/") + place + ": its entries are in other files, which are not read");
  }
  for (const char* place : {"link/M", "soft"}) {
    expect_phrase(load_failure(name + "::" + place),
                  std::string("x.h5::/") + place + ": there is nothing of that");
  }
}

}  // namespace
}  // namespace anmf::io::hdf5_damage_test
