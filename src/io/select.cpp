// SPDX-License-Identifier: MIT
// Some rows and columns of a loaded matrix, in memory of their own.
#include <numeric>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <variant>

#include "anmf/io.h"
#include "anmf/weights.h"
#include "io/own.h"

namespace anmf::io {

namespace {

using Chosen = std::optional<std::vector<Index>>;

std::vector<Index> all_or(const Chosen& places, Index count) {
  if (places) return *places;
  std::vector<Index> all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), Index{0});
  return all;
}

std::vector<std::string> names_at(const std::vector<std::string>& names, const std::vector<Index>& places) {
  std::vector<std::string> result;
  if (names.empty()) return result;
  for (const Index k : places) result.push_back(names[static_cast<std::size_t>(k)]);
  return result;
}

template <class S>
Matrix<S> entries_at(ConstMatrixView<S> M, const std::vector<Index>& rows, const std::vector<Index>& cols) {
  Matrix<S> result(static_cast<Index>(rows.size()), static_cast<Index>(cols.size()));
  for (Index i = 0; i < result.rows(); ++i) {
    const S* const row = M.row(rows[static_cast<std::size_t>(i)]);
    for (Index j = 0; j < result.cols(); ++j) result(i, j) = row[cols[static_cast<std::size_t>(j)]];
  }
  return result;
}

template <class T>
Triplets<T> entries_at(const Csr<T>& M, const std::vector<Index>& rows, const std::vector<Index>& cols) {
  constexpr Index kNowhere = -1;
  std::vector<Index> new_col(static_cast<std::size_t>(M.cols), kNowhere);
  for (std::size_t j = 0; j < cols.size(); ++j)
    new_col[static_cast<std::size_t>(cols[j])] = static_cast<Index>(j);
  Triplets<T> result;
  result.rows = static_cast<Index>(rows.size());
  result.cols = static_cast<Index>(cols.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto row = static_cast<std::size_t>(rows[i]);
    for (auto k = static_cast<std::size_t>(M.offsets[row]); k < static_cast<std::size_t>(M.offsets[row + 1]);
         ++k) {
      const Index col = new_col[M.indices[k]];
      if (col == kNowhere) continue;
      result.row_indices.push_back(static_cast<std::uint32_t>(i));
      result.col_indices.push_back(static_cast<std::uint32_t>(col));
      result.values.push_back(M.values[k]);
    }
  }
  return result;
}

}  // namespace

template <class T>
LoadedMatrix<T> select(const LoadedMatrix<T>& matrix, const Chosen& rows, const Chosen& cols) {
  const std::vector<Index> row_places = all_or(rows, matrix.data->rows());
  const std::vector<Index> col_places = all_or(cols, matrix.data->cols());
  LoadedMatrix<T> result = std::visit(
      [&](const auto& view) -> LoadedMatrix<T> {
        using View = std::remove_cvref_t<decltype(view)>;
        if constexpr (std::is_same_v<View, std::monostate>) {
          const auto& sparse = dynamic_cast<const SparseData<T>&>(*matrix.data);
          Triplets<T> chosen = entries_at(sparse.by_row(), row_places, col_places);
          LoadedMatrix<T> part;
          part.data = SparseData<T>::from_triplets(chosen.rows, chosen.cols, std::move(chosen.row_indices),
                                                   std::move(chosen.col_indices), std::move(chosen.values),
                                                   Zeros::keep, Sign::any);
          return part;
        } else if constexpr (std::is_same_v<T, float> && std::is_same_v<View, ConstMatrixView<double>>) {
          throw std::logic_error("A matrix of float is never stored in double.");
        } else {
          return own_dense<T>({}, entries_at(view, row_places, col_places), Negative::allow);
        }
      },
      matrix.dense);
  result.weights = anmf::select(matrix.weights, rows, cols);
  result.row_names = names_at(matrix.row_names, row_places);
  result.col_names = names_at(matrix.col_names, col_places);
  if (!rows) result.images = matrix.images;
  result.single_precision = matrix.single_precision;
  result.anndata = matrix.anndata;
  result.clipped = matrix.clipped;
  result.repeated = matrix.repeated;
  return result;
}

template LoadedMatrix<float> select(const LoadedMatrix<float>&, const Chosen&, const Chosen&);
template LoadedMatrix<double> select(const LoadedMatrix<double>&, const Chosen&, const Chosen&);

}  // namespace anmf::io
