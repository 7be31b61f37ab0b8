// SPDX-License-Identifier: MIT
// MATLAB stores matrices by columns; a sparse one is CSC with the arrays jc (offsets), ir (rows) and data.
#include "io/matlab.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <matio.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "anmf/error.h"
#include "io/hdf5_file.h"
#include "io/input_file.h"
#include "io/matlab_check.h"
#include "io/own.h"

namespace anmf::io {

namespace {

struct CloseFile {
  void operator()(mat_t* file) const { Mat_Close(file); }
};
struct FreeVariable {
  void operator()(matvar_t* variable) const { Mat_VarFree(variable); }
};
using File = std::unique_ptr<mat_t, CloseFile>;
using Variable = std::unique_ptr<matvar_t, FreeVariable>;

bool is_number_class(matio_classes type) { return type >= MAT_C_DOUBLE && type <= MAT_C_UINT64; }

bool is_matrix(const matvar_t& variable) {
  const bool numbers = is_number_class(variable.class_type) || variable.class_type == MAT_C_SPARSE;
  return numbers && variable.rank == 2 && variable.isComplex == 0;
}

File open_file(const std::filesystem::path& path) {
  File file(Mat_Open(path.c_str(), MAT_ACC_RDONLY));
  if (!file) {
    throw InvalidInput(fmt::format("{}: the MATLAB file of {} bytes cannot be opened. Is it truncated?",
                                   path.string(), InputFile(path).bytes()));
  }
  return file;
}

bool is_hdf5(const std::filesystem::path& path) {
  constexpr std::string_view kVersion = "MATLAB 7.3";
  std::string start(kVersion.size(), '\0');
  InputFile file(path);
  start.resize(file.read(start.data(), start.size()));
  return start == kVersion;
}

/// The name of the only matrix.
std::string only_matrix(mat_t* file, const std::filesystem::path& path) {
  std::vector<std::string> matrices;
  while (const Variable variable{Mat_VarReadNextInfo(file)}) {
    if (variable->name != nullptr && is_matrix(*variable)) matrices.emplace_back(variable->name);
  }
  if (matrices.size() == 1) return matrices[0];
  if (matrices.empty()) {
    throw InvalidInput(fmt::format("{}: there is no real matrix in it.", path.string()));
  }
  throw InvalidInput(fmt::format("{}: holds the matrices {}; choose one, as in {}::{}.", path.string(),
                                 fmt::join(matrices, ", "), path.filename().string(), matrices[0]));
}

// What the header of the variable says, checked before its data are read.
void check(const matvar_t& variable, std::uint64_t file_bytes, const std::string& where) {
  if (!is_matrix(variable)) {
    throw InvalidInput(
        fmt::format("{}: is no real matrix of numbers with 2 dimensions, expected one.", where));
  }
  constexpr auto kMost = static_cast<std::size_t>(std::numeric_limits<Index>::max());
  constexpr std::size_t kMostSparse = std::numeric_limits<std::uint32_t>::max();
  const bool sparse = variable.class_type == MAT_C_SPARSE;
  const std::size_t rows = variable.dims[0];
  const std::size_t cols = variable.dims[1];
  if (sparse && (rows > kMostSparse || cols > kMostSparse)) {
    throw InvalidInput(
        fmt::format("{}: the matrix is {} x {}; a sparse matrix may have at most {} rows and columns.", where,
                    rows, cols, kMostSparse));
  }
  constexpr std::uint64_t kLargestDeflateRatio = 1032;
  const std::uint64_t most = (file_bytes + 1) * kLargestDeflateRatio;
  std::size_t entries = 0;
  const bool overflow = __builtin_mul_overflow(rows, cols, &entries) || entries > kMost;
  if (!sparse && (overflow || entries > most)) {
    throw InvalidInput(
        fmt::format("{}: a matrix of {} x {} is promised, but a file of {} bytes can hold at most {} "
                    "entries.",
                    where, rows, cols, file_bytes, most));
  }
}

template <class S, class T>
Matrix<T> from_columns(const matvar_t& variable, const std::string& where) {
  Matrix<T> matrix(static_cast<Index>(variable.dims[0]), static_cast<Index>(variable.dims[1]));
  const auto* source = static_cast<const S*>(variable.data);
  for (Index j = 0; j < matrix.cols(); ++j) {
    for (Index i = 0; i < matrix.rows(); ++i) {
      const S value = *source++;
      if constexpr (std::is_same_v<S, double> && std::is_same_v<T, float>) {
        if (std::isfinite(value) && std::abs(value) > std::numeric_limits<float>::max()) {
          throw InvalidInput(fmt::format(
              "{}: entry ({}, {}), counted from 0, is too large for single precision.", where, i, j));
        }
      }
      matrix(i, j) = static_cast<T>(value);
    }
  }
  return matrix;
}

/// Keeps entries of a type narrower than T as they are.
template <class T>
LoadedMatrix<T> own_variable(const matvar_t& variable, const std::string& where) {
  const auto as = [&]<class S, class U>() {
    return own_dense<T>(where, from_columns<S, U>(variable, where));
  };
  switch (variable.class_type) {
    case MAT_C_SINGLE:
      return as.template operator()<float, float>();
    case MAT_C_INT8:
      return as.template operator()<std::int8_t, T>();
    case MAT_C_UINT8:
      return as.template operator()<std::uint8_t, std::uint8_t>();
    case MAT_C_INT16:
      return as.template operator()<std::int16_t, T>();
    case MAT_C_UINT16:
      return as.template operator()<std::uint16_t, std::uint16_t>();
    case MAT_C_INT32:
      return as.template operator()<std::int32_t, T>();
    case MAT_C_UINT32:
      return as.template operator()<std::uint32_t, T>();
    case MAT_C_INT64:
      return as.template operator()<std::int64_t, T>();
    case MAT_C_UINT64:
      return as.template operator()<std::uint64_t, T>();
    default:
      return as.template operator()<double, T>();
  }
}

template <class T>
T sparse_value(const matvar_t& variable, std::size_t k, const std::string& where) {
  const void* data = static_cast<const mat_sparse_t*>(variable.data)->data;
  switch (variable.data_type) {
    case MAT_T_DOUBLE:
      return static_cast<T>(static_cast<const double*>(data)[k]);
    case MAT_T_SINGLE:
      return static_cast<T>(static_cast<const float*>(data)[k]);
    case MAT_T_INT8:
      return static_cast<T>(int{static_cast<const std::int8_t*>(data)[k]});
    case MAT_T_UINT8:
      return static_cast<T>(static_cast<const std::uint8_t*>(data)[k]);
    case MAT_T_INT16:
      return static_cast<T>(static_cast<const std::int16_t*>(data)[k]);
    case MAT_T_UINT16:
      return static_cast<T>(static_cast<const std::uint16_t*>(data)[k]);
    case MAT_T_INT32:
      return static_cast<T>(static_cast<const std::int32_t*>(data)[k]);
    case MAT_T_UINT32:
      return static_cast<T>(static_cast<const std::uint32_t*>(data)[k]);
    default:
      throw InvalidInput(
          fmt::format("{}: the entries of the sparse matrix are of a type that is not supported, "
                      "expected double or logical.",
                      where));
  }
}

template <class T>
Triplets<T> sparse_triplets(const matvar_t& variable, const std::string& where) {
  const auto& sparse = *static_cast<const mat_sparse_t*>(variable.data);
  Triplets<T> result;
  result.rows = static_cast<Index>(variable.dims[0]);
  result.cols = static_cast<Index>(variable.dims[1]);
  const std::size_t stored = std::min(sparse.nir, sparse.ndata);
  if (sparse.njc != variable.dims[1] + 1 || sparse.jc[0] != 0) {
    throw InvalidInput(fmt::format("{}: the sparse matrix has {} offsets, expected {} that begin with 0.",
                                   where, sparse.njc, variable.dims[1] + 1));
  }
  for (std::size_t j = 0; j < variable.dims[1]; ++j) {
    if (sparse.jc[j + 1] < sparse.jc[j] || sparse.jc[j + 1] > stored) {
      throw InvalidInput(fmt::format("{}: column {}, counted from 0, ends at entry {}, expected {} to {}.",
                                     where, j, sparse.jc[j + 1], sparse.jc[j], stored));
    }
    for (std::size_t k = sparse.jc[j]; k < sparse.jc[j + 1]; ++k) {
      if (sparse.ir[k] >= variable.dims[0]) {
        throw InvalidInput(
            fmt::format("{}: entry {} of column {}, counted from 0, is in row {}, expected 0 to {}.", where,
                        k - sparse.jc[j], j, sparse.ir[k], variable.dims[0] - 1));
      }
      result.row_indices.push_back(sparse.ir[k]);
      result.col_indices.push_back(static_cast<std::uint32_t>(j));
      result.values.push_back(sparse_value<T>(variable, k, where));
    }
  }
  return result;
}

}  // namespace

bool starts_as_matlab(std::string_view text) {
  return text.starts_with("MATLAB 5") || text.starts_with("MATLAB 7");
}

template <class T>
LoadedMatrix<T> load_matlab(const Location& at) {
  const std::lock_guard lock(hdf5_mutex());  // files of version 7.3 are HDF5
  const Hdf5Quiet quiet;
  if (!is_hdf5(at.file)) check_matlab_elements(at.file);
  const std::string name = at.inside.empty() ? only_matrix(open_file(at.file).get(), at.file) : at.inside;
  const std::string where = fmt::format("{}::{}", at.file.string(), name);
  const File file = open_file(at.file);
  const Variable info(Mat_VarReadInfo(file.get(), name.c_str()));
  if (!info) throw InvalidInput(fmt::format("{}: there is no variable of that name.", where));
  check(*info, InputFile(at.file).bytes(), where);
  const Variable variable(Mat_VarRead(file.get(), name.c_str()));
  const bool empty = info->dims[0] == 0 || info->dims[1] == 0;
  if (!variable || (variable->data == nullptr && !empty) || !is_matrix(*variable)) {
    throw InvalidInput(fmt::format("{}: the data cannot be read; the file is damaged or truncated.", where));
  }
  if (variable->class_type == MAT_C_SPARSE) {
    return own_sparse(where, sparse_triplets<T>(*variable, where));
  }
  // matio makes the block as large as the file says; the entries must fill it.
  const std::size_t entries = variable->dims[0] * variable->dims[1];
  if (variable->nbytes != entries * static_cast<std::size_t>(variable->data_size)) {
    throw InvalidInput(fmt::format("{}: {} bytes of data found, expected {}.", where, variable->nbytes,
                                   entries * static_cast<std::size_t>(variable->data_size)));
  }
  return own_variable<T>(*variable, where);
}

template LoadedMatrix<float> load_matlab<float>(const Location&);
template LoadedMatrix<double> load_matlab<double>(const Location&);

}  // namespace anmf::io
