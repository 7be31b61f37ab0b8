// SPDX-License-Identifier: MIT
#include <cstdint>
#include <string>
#include <vector>

#include "support/broken_files.h"
#include "support/files_and_messages.h"
#include "support/hdf5_writer.h"

namespace anmf::io_test {

namespace {

namespace fs = std::filesystem;

template <class Write>
auto made_hdf5(const Write& write) {
  return [write](const fs::path& path) { write(Hdf5Writer(path)); };
}

// A good file, cut to so many bytes.
auto cut_hdf5(std::size_t bytes) {
  return [bytes](const fs::path& path) {
    Hdf5Writer(path).numbers("M", {1, 2}, {1, 2});
    fs::resize_file(path, bytes);
  };
}

// [1 0 2; 0 3 0] as AnnData has it, but for what is said otherwise.
struct Anndata {
  const char* encoding = "csr_matrix";
  std::vector<std::int64_t> shape = {2, 3};
  std::vector<double> data = {1, 2, 3};
  std::vector<double> indices = {0, 2, 1};
  std::vector<double> offsets = {0, 2, 3};
  std::vector<std::string> cells = {"a", "b"};
};

auto anndata(const Anndata& parts) {
  return made_hdf5([parts](const Hdf5Writer& file) {
    file.group("X");
    if (parts.encoding != nullptr) file.text_attribute("X", "encoding-type", parts.encoding);
    file.shape_attribute("X", parts.shape);
    if (!parts.data.empty()) file.numbers("X/data", {parts.data.size()}, parts.data);
    file.whole("X/indices", parts.indices);
    file.whole("X/indptr", parts.offsets);
    file.group("obs");
    file.texts("obs/_index", parts.cells);
    file.group("var");
  });
}

auto ten_x(const std::vector<double>& shape, const std::vector<std::string>& barcodes) {
  return made_hdf5([=](const Hdf5Writer& file) {
    file.group("matrix");
    file.numbers("matrix/shape", {shape.size()}, shape, H5T_NATIVE_INT64);
    file.whole("matrix/data", {1, 2, 3});
    file.whole("matrix/indices", {0, 2, 1});
    file.whole("matrix/indptr", {0, 2, 3});
    file.texts("matrix/barcodes", barcodes);
  });
}

}  // namespace

BrokenFiles broken_hdf5_files() {
  constexpr auto kHuge = std::int64_t{1} << 40;
  return {
      {"hdf5_magic_only.h5", cut_hdf5(8)},
      {"hdf5_cut_in_superblock.h5", cut_hdf5(40)},
      {"hdf5_cut_before_data.h5", cut_hdf5(600)},
      {"hdf5_empty.h5", made_hdf5([](const Hdf5Writer&) {})},
      {"hdf5_several.h5", made_hdf5([](const Hdf5Writer& file) {
         file.numbers("A", {1, 1}, {1});
         file.numbers("B\n", {1, 1}, {1});
       })},
      {"hdf5_one_dimension.h5", made_hdf5([](const Hdf5Writer& file) { file.numbers("M", {2}, {1, 2}); })},
      {"hdf5_negative.h5", made_hdf5([](const Hdf5Writer& file) { file.numbers("M", {1, 2}, {1, -2}); })},
      {"hdf5_no_rows.h5", made_hdf5([](const Hdf5Writer& file) { file.numbers("M", {0, 2}, {}); })},
      {"hdf5_no_numbers.h5",
       made_hdf5([](const Hdf5Writer& file) { file.numbers("M", {1, 1}, {}, H5T_STD_REF_OBJ); })},
      {"hdf5_unwritten.h5",
       made_hdf5([](const Hdf5Writer& file) { file.numbers("M", {100000, 100000}, {}); })},
      {"hdf5_sizes_overflow.h5", made_hdf5([](const Hdf5Writer& file) {
         file.numbers("M", {hsize_t{1} << 31, hsize_t{1} << 28}, {}, H5T_STD_U8LE);
       })},
      {"hdf5_rows_of_2_40.h5", made_hdf5([](const Hdf5Writer& file) { file.numbers("M", {kHuge, 3}, {}); })},
      {"hdf5_sizes_of_2_40.h5",
       made_hdf5([](const Hdf5Writer& file) { file.numbers("M", {kHuge, kHuge}, {}); })},
      {"ten_x_rows_of_2_40.h5", ten_x({static_cast<double>(kHuge), 2}, {"a", "b"})},
      {"h5ad_no_encoding.h5ad", anndata({.encoding = nullptr})},
      {"h5ad_unknown_encoding.h5ad", anndata({.encoding = "bsr_matrix"})},
      {"h5ad_three_sizes.h5ad", anndata({.shape = {2, 3, 1}})},
      {"h5ad_negative_size.h5ad", anndata({.shape = {2, -3}})},
      {"h5ad_huge_size.h5ad", anndata({.shape = {2, std::int64_t{1} << 40}})},
      {"h5ad_many_empty_columns.h5ad", anndata({.shape = {2, 4000000000}})},
      {"h5ad_no_data.h5ad", anndata({.data = {}})},
      {"h5ad_few_data.h5ad", anndata({.data = {1, 2}})},
      {"h5ad_negative_entry.h5ad", anndata({.data = {1, -2, 3}})},
      {"h5ad_index_too_large.h5ad", anndata({.indices = {0, 3, 1}})},
      {"h5ad_index_negative.h5ad", anndata({.indices = {0, -1, 1}})},
      {"h5ad_offsets_decrease.h5ad", anndata({.offsets = {0, 3, 2}})},
      {"h5ad_few_offsets.h5ad", anndata({.offsets = {0, 3}})},
      {"h5ad_few_names.h5ad", anndata({.cells = {"a"}})},
      {"h5ad_name_not_utf8.h5ad", anndata({.cells = {"a", "caf\xe9"}})},
      {"ten_x_one_size.h5", ten_x({3}, {"a", "b"})},
      {"ten_x_few_barcodes.h5", ten_x({3, 2}, {"a"})},
      {"ten_x_few_rows.h5", ten_x({2, 2}, {"a", "b"})},
  };
}

}  // namespace anmf::io_test
