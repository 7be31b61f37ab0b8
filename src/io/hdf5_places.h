// SPDX-License-Identifier: MIT
// Where the matrix of an HDF5 file is.
//   AnnData   X or layers/NAME (cells x genes): a dataset, or a group with data, indices and indptr; names in
//             obs and var
//   10x       matrix/ (or a group named after the genome) in CSC, features x barcodes, with the names beside
//   it others    a dataset of two dimensions, or of three, or a sparse group as in AnnData
#pragma once

#include <string>

#include "anmf/io.h"
#include "io/cube.h"
#include "io/hdf5_file.h"

namespace anmf::io {

struct Hdf5Matrix {
  std::string place;  ///< a dataset, or a group with data, indices and indptr if sparse
  bool sparse = false;
  bool by_rows = true;  ///< CSR, else CSC
  bool anndata = false;
  bool ten_x = false;
  Index rows = 0;
  Index cols = 0;
  Unfolded unfolded;  ///< of a dataset
};

/// The matrix that is named, or the usual or only one if no name is given. Throws InvalidInput if there is
/// none.
[[nodiscard]] Hdf5Matrix find_hdf5_matrix(const Hdf5File& file, const Location& at);

/// The names of its rows and columns, where the file has a place for them.
[[nodiscard]] Names hdf5_names(const Hdf5File& file, const Hdf5Matrix& matrix);

}  // namespace anmf::io
