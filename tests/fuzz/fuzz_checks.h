// SPDX-License-Identifier: MIT
// What must hold of everything that a reader returns.
#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "anmf/io.h"
#include "fuzz_input.h"
#include "io/text_fields.h"

namespace anmf::io_fuzz {

template <class T>
void check(const Matrix<T>& matrix) {
  require(matrix.rows() >= 0 && matrix.cols() >= 0, "negative sizes");
  require(static_cast<std::size_t>(matrix.size()) == matrix.values().size(),
          "sizes that disagree with the values");
}

template <class T>
void check(const io::Triplets<T>& triplets) {
  const std::size_t count = triplets.values.size();
  require(triplets.row_indices.size() == count && triplets.col_indices.size() == count,
          "arrays of unequal lengths");
  for (std::size_t k = 0; k < count; ++k) {
    require(Index{triplets.row_indices[k]} < triplets.rows, "a row out of range");
    require(Index{triplets.col_indices[k]} < triplets.cols, "a column out of range");
  }
}

inline void check_names(const std::vector<std::string>& names, Index size) {
  require(names.empty() || static_cast<Index>(names.size()) == size, "a wrong number of names");
  for (const std::string& name : names) require(io::is_utf8(name), "a name that is not UTF-8");
}

template <class T>
void check(const io::Table<T>& table) {
  check(table.matrix);
  check_names(table.row_names, table.matrix.rows());
  check_names(table.col_names, table.matrix.cols());
}

template <class T>
void check(const Csr<T>& csr) {
  require(static_cast<Index>(csr.offsets.size()) == csr.rows + 1 && csr.offsets[0] == 0, "wrong offsets");
  require(csr.indices.size() == csr.values.size(), "arrays of unequal lengths");
  require(csr.offsets.back() == static_cast<Index>(csr.values.size()), "a wrong last offset");
  for (std::size_t i = 1; i < csr.offsets.size(); ++i) {
    require(csr.offsets[i - 1] <= csr.offsets[i], "offsets that decrease");
  }
  for (const std::uint32_t index : csr.indices) require(Index{index} < csr.cols, "an index out of range");
  for (const T value : csr.values) require(std::isfinite(value) && value > 0, "an entry that may not be");
}

template <class T>
void check(const io::LoadedMatrix<T>& loaded) {
  require(loaded.data != nullptr, "no data");
  const Index rows = loaded.data->rows();
  const Index cols = loaded.data->cols();
  require(rows > 0 && cols > 0, "a matrix without entries");
  require(std::isfinite(loaded.data->norm()), "a norm that is not finite");
  check_names(loaded.row_names, rows);
  check_names(loaded.col_names, cols);
  require(
      loaded.images.height * loaded.images.width == 0 || loaded.images.height * loaded.images.width == rows,
      "images of a wrong size");
  std::visit(
      [&]<class View>(const View& view) {
        if constexpr (!std::is_same_v<View, std::monostate>) {
          require(view.rows == rows && view.cols == cols, "a view of another size");
          for (Index i = 0; i < rows; ++i) {
            for (Index j = 0; j < cols; ++j) {
              const auto value = static_cast<double>(view(i, j));
              require(std::isfinite(value) && value >= 0, "an entry that may not be");
            }
          }
        }
      },
      loaded.dense);
  if (const auto* sparse = dynamic_cast<const SparseData<T>*>(loaded.data.get())) {
    check(sparse->by_row());
    check(sparse->by_col());
  }
}

/// io::load in both precisions, and with the axes of a cube in their other order.
inline void check_load(const std::filesystem::path& path) {
  may_refuse([&] { check(io::load<double>(path)); });
  may_refuse([&] { check(io::load<float>(path)); });
  may_refuse(
      [&] { check(io::load<double>(io::open(path, io::TextLines::automatic, io::Cube::pixels_last))); });
}

}  // namespace anmf::io_fuzz
