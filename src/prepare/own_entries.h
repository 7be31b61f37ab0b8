// SPDX-License-Identifier: MIT
// Loops over the stored entries of a matrix that is prepared, whether it is dense or sparse.
#pragma once

#include <cstddef>
#include <variant>
#include <vector>

#include "anmf/prepare.h"

namespace anmf {

template <class T>
[[nodiscard]] Index rows_of(const OwnEntries<T>& M) {
  const auto* const dense = std::get_if<Matrix<T>>(&M);
  return dense != nullptr ? dense->rows() : std::get<Csr<T>>(M).rows;
}

template <class T>
[[nodiscard]] Index cols_of(const OwnEntries<T>& M) {
  const auto* const dense = std::get_if<Matrix<T>>(&M);
  return dense != nullptr ? dense->cols() : std::get<Csr<T>>(M).cols;
}

/// Calls visit(i, j, x) with every stored entry, row by row. Entries may be OwnEntries<T>, const or not.
template <class Entries, class Visit>
void for_each_entry(Entries& M, const Visit& visit) {
  const auto go = [&](auto& matrix) {
    if constexpr (requires { matrix.offsets; }) {
      for (std::size_t i = 0; i + 1 < matrix.offsets.size(); ++i) {
        for (auto k = static_cast<std::size_t>(matrix.offsets[i]);
             k < static_cast<std::size_t>(matrix.offsets[i + 1]); ++k)
          visit(i, std::size_t{matrix.indices[k]}, matrix.values[k]);
      }
    } else {
      for (Index i = 0; i < matrix.rows(); ++i) {
        for (Index j = 0; j < matrix.cols(); ++j)
          visit(static_cast<std::size_t>(i), static_cast<std::size_t>(j), matrix(i, j));
      }
    }
  };
  std::visit(go, M);
}

/// Leaves these columns, in ascending order, and no other.
template <class T>
void keep_columns(OwnEntries<T>& M, const std::vector<Index>& kept);

}  // namespace anmf
