// SPDX-License-Identifier: MIT
//   AnnData   X or layers/NAME (cells x genes): a dataset, or a group with data, indices and indptr; names in
//   obs
//             and var
//   10x       matrix/ (or a group named after the genome) in CSC, features x barcodes, with the names beside
//   it others    a dataset of two dimensions, or a sparse group as in AnnData
#include "io/hdf5.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "anmf/error.h"
#include "io/dense_rows.h"
#include "io/hdf5_file.h"
#include "io/input_file.h"
#include "io/own.h"

namespace anmf::io {

namespace {

/// Keeps entries of a type narrower than T as they are.
template <class T>
LoadedMatrix<T> load_dataset(const Hdf5File& file, const std::string& place, Negative negative) {
  const Hdf5Array array(file, place);
  if (array.shape().size() != 2) {
    array.fail(fmt::format("{} dimension{} found, expected 2: rows and columns.", array.shape().size(),
                           array.shape().size() == 1 ? "" : "s"));
  }
  return visit_dataset<T>(array, [&]<class S>(Matrix<S>&& matrix) {
    return own_dense<T>(array.name(), std::move(matrix), negative);
  });
}

// The shape of a sparse group stands in an attribute of it.
void read_shape_attribute(const Hdf5File& file, const std::string& group, Index& rows, Index& cols) {
  std::vector<Index> shape = file.whole_attribute(group, "shape");
  if (shape.empty()) shape = file.whole_attribute(group, "h5sparse_shape");
  constexpr Index kLimit = std::numeric_limits<std::uint32_t>::max();
  const bool fits =
      shape.size() == 2 && shape[0] >= 0 && shape[1] >= 0 && shape[0] <= kLimit && shape[1] <= kLimit;
  if (!fits) {
    throw InvalidInput(fmt::format("{}: the attribute 'shape' is ({}), expected rows and columns of 0 to {}.",
                                   file.where(group), fmt::join(shape, ", "), kLimit));
  }
  rows = shape[0];
  cols = shape[1];
}

template <class T>
LoadedMatrix<T> load_sparse_group(const Hdf5File& file, const std::string& group, Negative negative) {
  std::string encoding = file.text_attribute(group, "encoding-type");
  if (encoding.empty()) encoding = file.text_attribute(group, "h5sparse_format");
  const bool by_rows = encoding.starts_with("csr");
  if (!by_rows && !encoding.starts_with("csc")) {
    const std::string found =
        encoding.empty() ? "without the attribute 'encoding-type'" : "encoded as " + in_quotes(encoding);
    throw InvalidInput(fmt::format(
        "{}: is a group {}, expected a dataset, or a group encoded as 'csr_matrix' or 'csc_matrix'.",
        file.where(group), found));
  }
  Triplets<T> result;
  read_shape_attribute(file, group, result.rows, result.cols);
  Hdf5Array offsets(file, group + "/indptr");
  Hdf5Array indices(file, group + "/indices");
  Hdf5Array data(file, group + "/data");
  read_compressed(offsets, indices, data, by_rows, result);
  result.single_precision = data.number_kind() == 'f' && data.number_bytes() <= 4;
  return own_sparse(file.where(group), std::move(result), negative);
}

template <class T>
LoadedMatrix<T> load_place(const Hdf5File& file, const std::string& place, Negative negative) {
  switch (file.kind(place)) {
    case Hdf5Kind::kDataset:
      return load_dataset<T>(file, place, negative);
    case Hdf5Kind::kGroup:
      return load_sparse_group<T>(file, place, negative);
    case Hdf5Kind::kNothing:
      break;
  }
  std::vector<std::string> there;
  for (const std::string& name : file.children("/")) there.push_back(in_quotes(name));
  throw InvalidInput(
      fmt::format("{}: there is nothing of that name; the file begins with {}.", file.where(place),
                  there.empty() ? "no name at all" : fmt::format("{}", fmt::join(there, ", "))));
}

// The index of a data frame: the column that the attribute _index names.
std::vector<std::string> frame_index(const Hdf5File& file, const std::string& frame, Index expected) {
  if (!file.has_group(frame)) return {};
  std::string column = file.text_attribute(frame, "_index");
  if (column.empty()) column = "_index";
  return read_hdf5_texts(file, frame + "/" + column, expected);
}

bool is_anndata(const Hdf5File& file) {
  return file.kind("X") != Hdf5Kind::kNothing && file.kind("obs") != Hdf5Kind::kNothing &&
         file.kind("var") != Hdf5Kind::kNothing;
}

// The data frame of the genes that go with the matrix at a place.
std::string genes_beside(const std::string& place) {
  return place.starts_with("raw/") || place.starts_with("/raw/") ? "raw/var" : "var";
}

template <class T>
LoadedMatrix<T> load_anndata(const Hdf5File& file, const std::string& place, Negative negative) {
  LoadedMatrix<T> result = load_place<T>(file, place, negative);
  result.row_names = frame_index(file, "obs", result.data->rows());
  result.col_names = frame_index(file, genes_beside(place), result.data->cols());
  result.anndata = true;
  return result;
}

/// The group of a 10x file: matrix, or in older files the only genome.
std::optional<std::string> ten_x_group(const Hdf5File& file) {
  std::vector<std::string> found;
  for (const std::string& name : file.children("/")) {
    const bool fits = file.has_group(name) && file.has_dataset(name + "/indptr") &&
                      file.has_dataset(name + "/shape") && file.has_dataset(name + "/barcodes");
    if (fits) found.push_back(name);
  }
  if (found.size() != 1) return std::nullopt;
  return found[0];
}

template <class T>
LoadedMatrix<T> load_ten_x_group(const Hdf5File& file, const std::string& group, Negative negative) {
  Triplets<T> triplets;
  Hdf5Array shape(file, group + "/shape");
  read_sparse_shape(shape, triplets.rows, triplets.cols);
  Hdf5Array offsets(file, group + "/indptr");
  Hdf5Array indices(file, group + "/indices");
  Hdf5Array data(file, group + "/data");
  read_compressed(offsets, indices, data, false, triplets);
  LoadedMatrix<T> result = own_sparse(file.where(group), std::move(triplets), negative);
  const std::string names = group + (file.has_group(group + "/features") ? "/features/name" : "/gene_names");
  result.row_names = read_hdf5_texts(file, names, result.data->rows());
  result.col_names = read_hdf5_texts(file, group + "/barcodes", result.data->cols());
  return result;
}

/// The only dataset of two dimensions among those at the root.
std::string only_matrix(const Hdf5File& file) {
  std::vector<std::string> matrices;
  for (const std::string& name : file.children("/")) {
    if (file.has_dataset(name) && file.shape(name).size() == 2) matrices.push_back(name);
  }
  if (matrices.size() == 1) return matrices[0];
  for (std::string& name : matrices) name = printable(name);
  throw InvalidInput(fmt::format("{}: {}; name one, as in {}::/NAME.", file.path().string(),
                                 matrices.empty()
                                     ? std::string("there is no matrix at the root of the file")
                                     : fmt::format("holds the matrices {}", fmt::join(matrices, ", ")),
                                 file.path().filename().string()));
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
  const bool anndata = is_anndata(file);
  if (!anndata && at.inside.empty() && ten_x_group(file)) return std::nullopt;
  const std::string place = !at.inside.empty() ? at.inside : (anndata ? "X" : only_matrix(file));
  if (!file.has_dataset(place)) return std::nullopt;
  const Hdf5Array array(file, place);
  if (array.shape().size() != 2) return std::nullopt;
  const Index rows = array.shape()[0];
  const Index cols = array.shape()[1];
  DenseStream result;
  result.name = array.name();
  const char kind = array.number_kind();
  if (kind == 'u' && array.number_bytes() == 1) {
    result.lines = rows_in_file<std::uint8_t>(at.file, place, rows, cols);
  } else if (kind == 'u' && array.number_bytes() == 2) {
    result.lines = rows_in_file<std::uint16_t>(at.file, place, rows, cols);
  } else if (kind == 'f' && array.number_bytes() <= 4) {
    result.lines = rows_in_file<float>(at.file, place, rows, cols);
  } else {
    result.lines = rows_in_file<double>(at.file, place, rows, cols);
  }
  if (anndata) {
    result.names.rows = frame_index(file, "obs", rows);
    result.names.cols = frame_index(file, genes_beside(place), cols);
  }
  return result;
}

template <class T>
LoadedMatrix<T> load_hdf5(const Location& at, Negative negative) {
  const std::lock_guard lock(hdf5_mutex());
  const Hdf5File file(at.file);
  if (is_anndata(file)) return load_anndata<T>(file, at.inside.empty() ? "X" : at.inside, negative);
  if (!at.inside.empty()) return load_place<T>(file, at.inside, negative);
  if (const auto group = ten_x_group(file)) return load_ten_x_group<T>(file, *group, negative);
  return load_place<T>(file, only_matrix(file), negative);
}

template LoadedMatrix<float> load_hdf5<float>(const Location&, Negative);
template LoadedMatrix<double> load_hdf5<double>(const Location&, Negative);

}  // namespace anmf::io
