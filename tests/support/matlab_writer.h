// SPDX-License-Identifier: MIT
#pragma once

#include <matio.h>

#include <cstddef>
#include <filesystem>
#include <vector>

namespace anmf::io_test {

/// Writes variables with matio, a program that is not ours, column by column.
class MatlabWriter {
 public:
  explicit MatlabWriter(const std::filesystem::path& path, mat_ft version = MAT_FT_MAT5)
      : file_(Mat_CreateVer(path.c_str(), nullptr, version)) {}
  MatlabWriter(const MatlabWriter&) = delete;
  MatlabWriter& operator=(const MatlabWriter&) = delete;
  ~MatlabWriter() { Mat_Close(file_); }

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

  /// [1 0 2; 0 3 0]
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

}  // namespace anmf::io_test
