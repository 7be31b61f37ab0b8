// SPDX-License-Identifier: MIT
#include "io/hdf5_places.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "anmf/error.h"
#include "io/anndata_frame.h"
#include "io/hdf5_texts.h"
#include "io/input_file.h"

namespace anmf::io {

namespace {

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

bool is_anndata(const Hdf5File& file) {
  return file.kind("X") != Hdf5Kind::kNothing && file.kind("obs") != Hdf5Kind::kNothing &&
         file.kind("var") != Hdf5Kind::kNothing;
}

// The data frame of the genes that go with the matrix at a place.
std::string genes_beside(const std::string& place) {
  return place.starts_with("raw/") || place.starts_with("/raw/") ? "raw/var" : "var";
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

/// The only dataset of two or three dimensions among those at the root.
std::string only_dataset(const Hdf5File& file) {
  std::vector<std::string> matrices;
  for (const std::string& name : file.children("/")) {
    const std::size_t axes = file.has_dataset(name) ? file.shape(name).size() : 0;
    if (axes == 2 || axes == 3) matrices.push_back(name);
  }
  if (matrices.size() == 1) return matrices[0];
  for (std::string& name : matrices) name = printable(name);
  throw InvalidInput(fmt::format("{}: {}; name one, as in {}::/NAME.", file.path().string(),
                                 matrices.empty()
                                     ? std::string("there is no matrix at the root of the file")
                                     : fmt::format("holds the matrices {}", fmt::join(matrices, ", ")),
                                 file.path().filename().string()));
}

// Whether a group is CSR; it must be that or CSC.
bool is_csr(const Hdf5File& file, const std::string& group) {
  std::string encoding = file.text_attribute(group, "encoding-type");
  if (encoding.empty()) encoding = file.text_attribute(group, "h5sparse_format");
  const bool by_rows = encoding.starts_with("csr");
  if (by_rows || encoding.starts_with("csc")) return by_rows;
  const std::string found =
      encoding.empty() ? "without the attribute 'encoding-type'" : "encoded as " + in_quotes(encoding);
  throw InvalidInput(fmt::format(
      "{}: is a group {}, expected a dataset, or a group encoded as 'csr_matrix' or 'csc_matrix'.",
      file.where(group), found));
}

[[noreturn]] void fail_nothing_there(const Hdf5File& file, const std::string& place) {
  std::vector<std::string> there;
  for (const std::string& name : file.children("/")) there.push_back(in_quotes(name));
  throw InvalidInput(
      fmt::format("{}: there is nothing of that name; the file begins with {}.", file.where(place),
                  there.empty() ? "no name at all" : fmt::format("{}", fmt::join(there, ", "))));
}

Hdf5Matrix matrix_at(const Hdf5File& file, const std::string& place, Cube cube) {
  Hdf5Matrix found{.place = place};
  switch (file.kind(place)) {
    case Hdf5Kind::kDataset: {
      const Hdf5Array array(file, place);
      found.unfolded = unfold(array.name(), array.shape(), false, cube);
      found.rows = found.unfolded.rows;
      found.cols = found.unfolded.cols;
      return found;
    }
    case Hdf5Kind::kGroup:
      expect_no_cube(file.where(place), cube);
      found.sparse = true;
      found.by_rows = is_csr(file, place);
      read_shape_attribute(file, place, found.rows, found.cols);
      return found;
    case Hdf5Kind::kNothing:
      break;
  }
  fail_nothing_there(file, place);
}

// The index of a data frame: the column that the attribute _index names.
std::vector<std::string> frame_index(const Hdf5File& file, const std::string& frame, Index expected) {
  if (!file.has_group(frame)) return {};
  return read_hdf5_texts(file, frame + "/" + index_column(file, frame), expected);
}

}  // namespace

Hdf5Matrix find_hdf5_matrix(const Hdf5File& file, const Location& at) {
  if (is_anndata(file)) {
    Hdf5Matrix found = matrix_at(file, at.inside.empty() ? "X" : at.inside, at.cube);
    found.anndata = true;
    if (found.unfolded.images.height > 0) {
      throw InvalidInput(
          fmt::format("{}: 3 dimensions found, expected 2: observations and variables of an AnnData file.",
                      file.where(found.place)));
    }
    return found;
  }
  if (!at.inside.empty()) return matrix_at(file, at.inside, at.cube);
  if (const auto group = ten_x_group(file)) {
    expect_no_cube(file.path().string(), at.cube);
    Hdf5Matrix found{.place = *group, .sparse = true, .by_rows = false, .ten_x = true};
    Hdf5Array shape(file, *group + "/shape");
    read_sparse_shape(shape, found.rows, found.cols);
    return found;
  }
  return matrix_at(file, only_dataset(file), at.cube);
}

Names hdf5_names(const Hdf5File& file, const Hdf5Matrix& matrix) {
  if (matrix.anndata)
    return {frame_index(file, "obs", matrix.rows),
            frame_index(file, genes_beside(matrix.place), matrix.cols)};
  if (!matrix.ten_x) return {};
  const bool newer = file.has_group(matrix.place + "/features");
  return {read_hdf5_texts(file, matrix.place + (newer ? "/features/name" : "/gene_names"), matrix.rows),
          read_hdf5_texts(file, matrix.place + "/barcodes", matrix.cols)};
}

}  // namespace anmf::io
