// SPDX-License-Identifier: MIT
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "support/broken_files.h"
#include "support/files_and_messages.h"
#include "support/zip_writer.h"

namespace anmf::io_test {

namespace {

std::string array(const std::string& descr, const std::string& shape, std::string_view data) {
  return npy("{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }\n", data);
}

std::string doubles(std::initializer_list<double> values) {
  return array("<f8", "(1, " + std::to_string(values.size()) + ")", stored<double>(values));
}

// [1 0 2; 0 3 0] in CSR, but for what is said otherwise.
struct Sparse {
  std::string format = "csr";
  std::int64_t rows = 2;
  std::string indices = std::string("\0\2\1", 3);
  std::string offsets = std::string("\0\2\3", 3);
};

std::string sparse(const Sparse& parts) {
  const auto bytes = [](const std::string& values) {
    std::string shape = "(";
    shape += std::to_string(values.size()) + ",)";
    return array("|u1", shape, values);
  };
  return zip_archive({{"format.npy", array("|S3", "()", parts.format)},
                      {"shape.npy", array("<i8", "(2,)", stored<std::int64_t>({parts.rows, 3}))},
                      {"data.npy", bytes("\1\2\3")},
                      {"indices.npy", bytes(parts.indices)},
                      {"indptr.npy", bytes(parts.offsets)}});
}

}  // namespace

BrokenFiles broken_numpy_files() {
  const std::string good = doubles({1, 2});
  const std::string archive = zip_archive({{"a.npy", good, true}});
  const std::string zeros(std::size_t{1} << 20, '\0');
  using Limits = std::numeric_limits<double>;
  const std::string two_40 = "1099511627776";
  return {
      {"npy_rows_of_2_40.npy", file(array("|u1", "(" + two_40 + ", 3)", "abc"))},
      {"npy_sizes_of_2_40.npy", file(array("|u1", "(" + two_40 + ", " + two_40 + ")", "abc"))},
      {"npz_rows_of_2_40.npz", file(zip_archive({{"a.npy", array("<f4", "(" + two_40 + ", 3)", "abcd")}}))},
      {"npy_magic_only.npy", file(good.substr(0, 6))},
      {"npy_cut_in_version.npy", file(good.substr(0, 7))},
      {"npy_cut_in_length.npy", file(good.substr(0, 9))},
      {"npy_cut_in_header.npy", file(good.substr(0, 40))},
      {"npy_cut_before_data.npy", file(good.substr(0, good.size() - 16))},
      {"npy_cut_in_data.npy", file(good.substr(0, good.size() - 1))},
      {"npy_trailing.npy", file(good + "x")},
      {"npy_version_9.npy", file(npy("{}", "", 9))},
      {"npy_huge_header.npy", file(std::string("\x93NUMPY\2\0\xff\xff\xff\xff", 12))},
      {"npy_empty_header.npy", file(npy("", ""))},
      {"npy_no_shape.npy", file(npy("{'descr': '<f8', 'fortran_order': False}", ""))},
      {"npy_shape_negative.npy", file(array("<f8", "(-1, 2)", ""))},
      {"npy_shape_overflow.npy", file(array("<f8", "(9223372036854775807, 2)", ""))},
      {"npy_shape_huge.npy", file(array("<f8", "(1000000, 1000000)", ""))},
      {"npy_length_overflow.npy", file(array("<f8", "(9223372036854775808, 2)", ""))},
      {"npy_complex.npy", file(array("<c16", "(1, 1)", std::string(16, '\0')))},
      {"npy_records.npy",
       file(npy("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1, 1)}", stored<double>({1})))},
      {"npy_one_dimension.npy", file(array("<f8", "(2,)", stored<double>({1, 2})))},
      {"npy_four_dimensions.npy", file(array("|u1", "(1, 1, 1, 2)", "ab"))},
      {"npy_cube_overflow.npy", file(array("|u1", "(3037000500, 3037000500, 0)", ""))},
      {"npy_cube_cut.npy", file(array("|u1", "(2, 1, 2)", "abc"))},
      {"npy_cube_negative.npy", file(array("<f8", "(1, 2, 1)", stored<double>({1, -1})))},
      {"npy_no_rows.npy", file(array("<f8", "(0, 2)", ""))},
      {"npy_negative.npy", file(doubles({1, -1}))},
      {"npy_nan.npy", file(doubles({Limits::quiet_NaN(), 1}))},
      {"npy_infinite.npy", file(doubles({1, Limits::infinity()}))},
      {"npy_compressed.npy.gz", file(gzip(good))},
      {"npz_magic_only.npz", file("PK\3\4")},
      {"npz_empty.npz", file(zip_archive({}))},
      {"npz_cut_in_member.npz", file(archive.substr(0, 60))},
      {"npz_cut_in_directory.npz", file(archive.substr(0, archive.size() - 30))},
      {"npz_no_array.npz", file(zip_archive({{"a.txt", "words"}}))},
      {"npz_several.npz", file(zip_archive({{"a.npy", good}, {"b.npy", good}}))},
      {"npz_name_not_utf8.npz", file(zip_archive({{"caf\xe9.npy", "words"}}))},
      {"npz_wrong_checksum.npz", file(zip_archive({{"a.npy", good, false, -1, 1}}))},
      {"npz_unknown_method.npz", file(zip_archive({{"a.npy", good, false, -1, -1, 14}}))},
      {"npz_bomb_of_promises.npz", file(zip_archive({{"a.npy", good, true, 4'000'000'000}}))},
      {"npz_bomb_of_zeros.npz",
       file(zip_archive({{"a.npy", array("<f8", "(100000, 100000)", zeros), true}}))},
      {"npz_longer_than_promised.npz", file(zip_archive({{"a.npy", good, true, 20}}))},
      {"npz_sparse_format.npz", file(sparse({.format = "bsr"}))},
      {"npz_sparse_rows_negative.npz", file(sparse({.rows = -2}))},
      {"npz_sparse_rows_huge.npz", file(sparse({.rows = std::int64_t{1} << 40}))},
      {"npz_sparse_index_too_large.npz", file(sparse({.indices = std::string("\0\3\1", 3)}))},
      {"npz_sparse_few_indices.npz", file(sparse({.indices = std::string("\0\2", 2)}))},
      {"npz_sparse_offsets_decrease.npz", file(sparse({.offsets = std::string("\0\3\2", 3)}))},
      {"npz_sparse_offsets_begin_late.npz", file(sparse({.offsets = "\1\2\3"}))},
      {"npz_sparse_few_offsets.npz", file(sparse({.offsets = std::string("\0\3", 2)}))},
      {"npz_sparse_no_indices.npz",
       file(zip_archive({{"format.npy", array("|S3", "()", "csr")},
                         {"shape.npy", array("<i8", "(2,)", stored<std::int64_t>({1, 1}))},
                         {"data.npy", array("|u1", "(1,)", "\1")},
                         {"indptr.npy", array("|u1", "(2,)", std::string_view("\0\1", 2))}}))},
  };
}

}  // namespace anmf::io_test
