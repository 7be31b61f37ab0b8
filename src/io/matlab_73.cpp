// SPDX-License-Identifier: MIT
// A variable of version 7.3 is an HDF5 dataset, its axes in the opposite order since MATLAB stores in Fortran
// order; a sparse one is a group with the attribute MATLAB_sparse, its number of rows, and CSC in the
// datasets jc (offsets), ir (rows) and data.
#include "io/matlab_73.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "anmf/error.h"
#include "io/hdf5_file.h"
#include "io/matlab_names.h"
#include "io/own.h"

namespace anmf::io {

namespace {

bool is_sparse(const Hdf5File& file, const std::string& name) {
  return file.has_group(name) && !file.whole_attribute(name, "MATLAB_sparse").empty();
}

// Letters are numbers too, and of what is empty only the sizes are stored; the attributes tell.
bool is_dense(const Hdf5File& file, const std::string& name) {
  constexpr std::array<std::string_view, 11> kNumberClasses = {"double", "single", "int8",   "uint8",
                                                               "int16",  "uint16", "int32",  "uint32",
                                                               "int64",  "uint64", "logical"};
  if (!file.has_dataset(name)) return false;
  if (const std::size_t axes = file.shape(name).size(); axes != 2 && axes != 3) return false;
  const std::string type = file.text_attribute(name, "MATLAB_class");
  if (!type.empty() && std::find(kNumberClasses.begin(), kNumberClasses.end(), type) == kNumberClasses.end())
    return false;
  return file.whole_attribute(name, "MATLAB_empty").empty() && file.holds_numbers(name);
}

std::string only_matrix(const Hdf5File& file) {
  std::vector<MatlabMatrix> matrices;
  for (const std::string& name : file.children("/")) {
    if (is_sparse(file, name)) matrices.push_back({name, false});
    if (is_dense(file, name)) {
      const auto shape = file.shape(name);
      matrices.push_back({name, std::all_of(shape.begin(), shape.end(), [](Index n) { return n == 1; })});
    }
  }
  return only_matlab_matrix(file.path(), std::move(matrices));
}

template <class T>
LoadedMatrix<T> load_sparse(const Hdf5File& file, const std::string& name, const std::string& where,
                            const Reading& reading) {
  Hdf5Array offsets(file, name + "/jc");
  const Index rows = file.whole_attribute(name, "MATLAB_sparse")[0];
  constexpr Index kLimit = std::numeric_limits<std::uint32_t>::max();
  if (rows < 0 || rows > kLimit || offsets.size() < 1 || offsets.size() - 1 > kLimit) {
    throw InvalidInput(fmt::format(
        "{}: the attribute MATLAB_sparse is {} and jc has {} entries, expected 0 to {} rows and 1 to {} "
        "offsets.",
        where, rows, offsets.size(), kLimit, kLimit + 1));
  }
  Triplets<T> result;
  result.rows = rows;
  result.cols = offsets.size() - 1;
  if (!file.has_dataset(name + "/data"))
    return own_sparse(where, std::move(result), reading);  // it has no entries
  Hdf5Array indices(file, name + "/ir");
  Hdf5Array data(file, name + "/data");
  read_compressed(offsets, indices, data, false, result);
  return own_sparse(where, std::move(result), reading);
}

}  // namespace

template <class T>
LoadedMatrix<T> load_matlab_73(const Location& at, const Reading& reading) {
  const std::lock_guard lock(hdf5_mutex());
  const Hdf5File file(at.file);
  const std::string name = at.inside.empty() ? only_matrix(file) : at.inside;
  const std::string where = matlab_where(at.file, name);
  if (file.kind(name) == Hdf5Kind::kNothing) fail_no_variable(where);
  if (is_sparse(file, name)) {
    expect_no_cube(where, at.cube);
    return load_sparse<T>(file, name, where, reading);
  }
  if (!is_dense(file, name)) fail_no_matrix(where);
  const Hdf5Array array(file, name);
  const Unfolded as = unfold(where, {array.shape().rbegin(), array.shape().rend()}, true, at.cube);
  auto result = visit_dataset<T>(array, as, [&]<class S>(Matrix<S>&& matrix) {
    return own_dense<T>(where, std::move(matrix), reading);
  });
  result.images = as.images;
  return result;
}

template LoadedMatrix<float> load_matlab_73<float>(const Location&, const Reading&);
template LoadedMatrix<double> load_matlab_73<double>(const Location&, const Reading&);

}  // namespace anmf::io
