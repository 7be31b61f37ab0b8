// SPDX-License-Identifier: MIT
#include "io/hdf5.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/dense_rows.h"
#include "io/hdf5_file.h"
#include "io/hdf5_places.h"
#include "io/own.h"

namespace anmf::io {

namespace {

/// What HDF5 takes for itself: measured with a tiny file.
constexpr double kHdf5LibraryBytes = 7e6;

/// Keeps entries of a type narrower than T as they are.
template <class T>
LoadedMatrix<T> load_dataset(const Hdf5File& file, const std::string& place, Negative negative) {
  const Hdf5Array array(file, place);
  return visit_dataset<T>(array, [&]<class S>(Matrix<S>&& matrix) {
    return own_dense<T>(array.name(), std::move(matrix), negative);
  });
}

template <class T>
LoadedMatrix<T> load_sparse_group(const Hdf5File& file, const Hdf5Matrix& matrix, Negative negative) {
  Triplets<T> result;
  result.rows = matrix.rows;
  result.cols = matrix.cols;
  Hdf5Array offsets(file, matrix.place + "/indptr");
  Hdf5Array indices(file, matrix.place + "/indices");
  Hdf5Array data(file, matrix.place + "/data");
  read_compressed(offsets, indices, data, matrix.by_rows, result);
  result.single_precision = data.number_kind() == 'f' && data.number_bytes() <= 4;
  return own_sparse(file.where(matrix.place), std::move(result), negative);
}

/// The rows of a dataset, which is opened anew for every pass.
template <class T>
DenseRows<T> rows_in_file(const std::filesystem::path& path, const std::string& place, Index rows,
                          Index cols) {
  const auto visit_blocks = [=](const typename DenseRows<T>::Visit& visit) {
    const std::lock_guard lock(hdf5_mutex());
    const Hdf5File file(path);
    const Hdf5Array array(file, place);
    if (array.shape() != std::vector<Index>{rows, cols}) array.fail("its size has changed.");
    const Index together = array.rows_stored_together();
    const Index wanted = std::max(together, rows_per_block(cols * Index{sizeof(T)}) / together * together);
    const Index step = std::min(rows, wanted);
    Matrix<T> block(step, cols);
    for (Index first = 0; first < rows; first += step) {
      const Index count = std::min(step, rows - first);
      array.read_rows(native_hdf5_type<T>(), first, count, block.data());
      visit(std::as_const(block).view().middle_rows(0, count));
    }
  };
  return {rows, cols, visit_blocks};
}

}  // namespace

std::optional<DenseStream> stream_hdf5(const Location& at) {
  const std::lock_guard lock(hdf5_mutex());
  const Hdf5File file(at.file);
  const Hdf5Matrix found = find_hdf5_matrix(file, at.inside);
  if (found.sparse) return std::nullopt;
  const Hdf5Array array(file, found.place);
  DenseStream result;
  result.name = array.name();
  const auto as = [&]<class S>() {
    result.lines = rows_in_file<S>(at.file, found.place, found.rows, found.cols);
  };
  visit_stored_type<double>(array, as);
  result.names = hdf5_names(file, found);
  return result;
}

template <class T>
LoadedMatrix<T> load_hdf5(const Location& at, Negative negative) {
  const std::lock_guard lock(hdf5_mutex());
  const Hdf5File file(at.file);
  const Hdf5Matrix found = find_hdf5_matrix(file, at.inside);
  LoadedMatrix<T> result = found.sparse ? load_sparse_group<T>(file, found, negative)
                                        : load_dataset<T>(file, found.place, negative);
  Names names = hdf5_names(file, found);
  result.row_names = std::move(names.rows);
  result.col_names = std::move(names.cols);
  result.anndata = found.anndata;
  return result;
}

Annotations hdf5_annotations(const Location& at) {
  const std::lock_guard lock(hdf5_mutex());
  const Hdf5File file(at.file);
  const Hdf5Matrix found = find_hdf5_matrix(file, at.inside);
  return {.names = hdf5_names(file, found), .anndata = found.anndata, .library_bytes = kHdf5LibraryBytes};
}

template LoadedMatrix<float> load_hdf5<float>(const Location&, Negative);
template LoadedMatrix<double> load_hdf5<double>(const Location&, Negative);

}  // namespace anmf::io
