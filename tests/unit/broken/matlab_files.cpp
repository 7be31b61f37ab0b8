// SPDX-License-Identifier: MIT
#include <string>

#include "support/broken_files.h"
#include "support/files_and_messages.h"
#include "support/matlab_writer.h"

namespace anmf::io_test {

namespace {

namespace fs = std::filesystem;

template <class Write>
auto made_matlab(const Write& write, mat_ft version = MAT_FT_MAT5) {
  return [=](const fs::path& path) { write(MatlabWriter(path, version)); };
}

// The variable M = [1 2], plain: 128 bytes of header, a tag of 8, and from 136 on flags (16 bytes with their
// tag), dimensions (16), name (8) and entries (8 + 16). `change` is made to the bytes.
template <class Change>
auto changed(const Change& change) {
  return [change](const fs::path& path) {
    MatlabWriter(path).doubles("M", {1, 2}, {1, 2});
    std::string bytes = read_bytes(path);
    change(bytes);
    write_to(path, bytes);
  };
}

auto cut_matlab(std::size_t size) {
  return changed([size](std::string& bytes) { bytes.resize(size); });
}

auto with_byte(std::size_t at, char value) {
  return changed([=](std::string& bytes) { bytes[at] = value; });
}

}  // namespace

BrokenFiles broken_matlab_files() {
  return {
      {"mat5_cut_in_header.mat", cut_matlab(100)},
      {"mat5_no_variable.mat", cut_matlab(128)},
      {"mat5_cut_in_tag.mat", cut_matlab(132)},
      {"mat5_cut_in_flags.mat", cut_matlab(140)},
      {"mat5_cut_in_entries.mat", cut_matlab(190)},
      {"mat5_long_flags.mat", with_byte(140, 9)},
      {"mat5_long_dimensions.mat", with_byte(156, 100)},
      {"mat5_negative_dimension.mat", with_byte(163, '\xff')},
      {"mat5_huge_dimension.mat", with_byte(163, '\x7f')},
      {"mat5_entries_of_no_type.mat", with_byte(176, 99)},
      {"mat5_cell.mat", with_byte(144, 1)},
      {"mat5_complex.mat", with_byte(145, 8)},
      {"mat5_damaged.mat",
       [](const fs::path& path) {
         MatlabWriter(path).doubles("M", {1, 2}, {1, 2}, MAT_COMPRESSION_ZLIB);
         std::string bytes = read_bytes(path);
         bytes.back() = static_cast<char>(bytes.back() ^ 1);  // of the checksum
         write_to(path, bytes);
       }},
      {"mat5_several.mat", made_matlab([](const MatlabWriter& file) {
         file.doubles("A", {1, 1}, {1});
         file.doubles("B", {1, 1}, {1});
       })},
      {"mat5_four_dimensions.mat",
       made_matlab([](const MatlabWriter& file) { file.doubles("A", {1, 1, 1, 2}, {1, 2}); })},
      {"mat5_cube_negative.mat",
       made_matlab([](const MatlabWriter& file) { file.doubles("A", {1, 2, 2}, {1, 2, -3, 4}); })},
      {"mat5_negative.mat",
       made_matlab([](const MatlabWriter& file) { file.doubles("A", {1, 2}, {1, -2}); })},
      {"mat5_sparse_row.mat", made_matlab([](const MatlabWriter& file) { file.sparse("S", {0, 2, 0}); })},
      {"mat5_sparse_offsets.mat",
       made_matlab([](const MatlabWriter& file) { file.sparse("S", {0, 1, 0}, {0, 2, 1, 3}); })},
      {"mat73_negative.mat",
       made_matlab([](const MatlabWriter& file) { file.doubles("A", {1, 2}, {1, -2}); }, MAT_FT_MAT73)},
      {"mat73_sparse_row.mat",
       made_matlab([](const MatlabWriter& file) { file.sparse("S", {0, 2, 0}); }, MAT_FT_MAT73)},
      {"mat73_cut.mat",
       [](const fs::path& path) {
         MatlabWriter(path, MAT_FT_MAT73).doubles("M", {1, 2}, {1, 2});
         fs::resize_file(path, 700);
       }},
      {"mat73_no_hdf5.mat",
       [](const fs::path& path) { write_to(path, "MATLAB 7.3 MAT-file, and nothing more"); }},
  };
}

}  // namespace anmf::io_test
