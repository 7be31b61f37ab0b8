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
LoadedMatrix<T> load_dataset(const Hdf5File& file, const Hdf5Matrix& found, const Reading& reading) {
  const Hdf5Array array(file, found.place);
  auto result = visit_dataset<T>(array, found.unfolded, [&]<class S>(Matrix<S>&& matrix) {
    return own_dense<T>(array.name(), std::move(matrix), reading);
  });
  result.images = found.unfolded.images;
  return result;
}

template <class T>
LoadedMatrix<T> load_sparse_group(const Hdf5File& file, const Hdf5Matrix& matrix, const Reading& reading) {
  Triplets<T> result;
  result.rows = matrix.rows;
  result.cols = matrix.cols;
  Hdf5Array offsets(file, matrix.place + "/indptr");
  Hdf5Array indices(file, matrix.place + "/indices");
  Hdf5Array data(file, matrix.place + "/data");
  read_compressed(offsets, indices, data, matrix.by_rows, result);
  result.single_precision = data.number_kind() == 'f' && data.number_bytes() <= 4;
  return own_sparse(file.where(matrix.place), std::move(result), reading);
}

/// The lines of a dataset of this shape, which is opened anew for every pass.
template <class T>
DenseRows<T> lines_in_dataset(const std::filesystem::path& path, const Hdf5Matrix& found,
                              const std::vector<Index>& shape) {
  const Unfolded& as = found.unfolded;
  const auto visit_blocks = [path, place = found.place, as,
                             shape](const typename DenseRows<T>::Visit& visit) {
    const std::lock_guard lock(hdf5_mutex());
    const Hdf5File file(path);
    const Hdf5Array array(file, place);
    if (array.shape() != shape) array.fail("its size has changed.");
    const Index together = array.lines_stored_together(as);
    const Index wanted =
        std::max(together, rows_per_block(as.width() * Index{sizeof(T)}) / together * together);
    const Index step = std::min(as.lines(), wanted);
    Matrix<T> block(step, as.width());
    for (Index first = 0; first < as.lines(); first += step) {
      const Index count = std::min(step, as.lines() - first);
      array.read_lines(as, native_hdf5_type<T>(), first, count, block.data());
      visit(std::as_const(block).view().middle_rows(0, count));
    }
  };
  return {as.lines(), as.width(), visit_blocks};
}

}  // namespace

std::optional<DenseStream> stream_hdf5(const Location& at) {
  const std::lock_guard lock(hdf5_mutex());
  const Hdf5File file(at.file);
  const Hdf5Matrix found = find_hdf5_matrix(file, at);
  if (found.sparse) return std::nullopt;
  const Hdf5Array array(file, found.place);
  DenseStream result;
  result.name = array.name();
  result.by_columns = found.unfolded.by_columns;
  result.images = found.unfolded.images;
  const auto as = [&]<class S>() { result.lines = lines_in_dataset<S>(at.file, found, array.shape()); };
  visit_stored_type<double>(array, as);
  result.names = hdf5_names(file, found);
  return result;
}

template <class T>
LoadedMatrix<T> load_hdf5(const Location& at, const Reading& reading) {
  const std::lock_guard lock(hdf5_mutex());
  const Hdf5File file(at.file);
  const Hdf5Matrix found = find_hdf5_matrix(file, at);
  LoadedMatrix<T> result =
      found.sparse ? load_sparse_group<T>(file, found, reading) : load_dataset<T>(file, found, reading);
  Names names = hdf5_names(file, found);
  result.row_names = std::move(names.rows);
  result.col_names = std::move(names.cols);
  result.anndata = found.anndata;
  return result;
}

Annotations hdf5_annotations(const Location& at) {
  const std::lock_guard lock(hdf5_mutex());
  const Hdf5File file(at.file);
  const Hdf5Matrix found = find_hdf5_matrix(file, at);
  return {.names = hdf5_names(file, found),
          .images = found.unfolded.images,
          .anndata = found.anndata,
          .library_bytes = kHdf5LibraryBytes};
}

template LoadedMatrix<float> load_hdf5<float>(const Location&, const Reading&);
template LoadedMatrix<double> load_hdf5<double>(const Location&, const Reading&);

}  // namespace anmf::io
