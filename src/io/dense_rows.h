// SPDX-License-Identifier: MIT
// Where the rows of a dense matrix M (m x n) can come from, apart from a matrix that lies there as it is.
// Each holds one block of about 16 MB beside its source, which must outlive it.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <type_traits>
#include <vector>

#include "anmf/error.h"
#include "anmf/io.h"

namespace anmf::io {

/// The rows of a sparse matrix with their zeros.
template <class T>
[[nodiscard]] DenseRows<T> rows_of(const CsrView<T>& M) {
  const auto visit_blocks = [M](const typename DenseRows<T>::Visit& visit) {
    const Index step = std::min(M.rows, rows_per_block(M.cols * Index{sizeof(T)}));
    Matrix<T> block(step, M.cols);
    for (Index begin = 0; begin < M.rows; begin += step) {
      const Index count = std::min(step, M.rows - begin);
      std::fill(block.values().begin(), block.values().end(), T{0});
      for (Index i = 0; i < count; ++i) {
        const auto last = static_cast<std::size_t>(M.offsets[static_cast<std::size_t>(begin + i + 1)]);
        for (auto k = static_cast<std::size_t>(M.offsets[static_cast<std::size_t>(begin + i)]); k < last; ++k)
          block(i, Index{M.indices[k]}) = M.values[k];
      }
      visit(std::as_const(block).view().middle_rows(0, count));
    }
  };
  return {M.rows, M.cols, visit_blocks};
}

/// A value in another type. Throws InvalidInput if it is too large for it.
template <class T, class S>
[[nodiscard]] T converted(S value) {
  if constexpr (std::is_same_v<S, double> && std::is_same_v<T, float>) {
    if (std::isfinite(value) && std::abs(value) > static_cast<double>(std::numeric_limits<float>::max()))
      throw InvalidInput(fmt::format("the entry {} is too large for single precision.", value));
  }
  return static_cast<T>(value);
}

/// The same rows with their entries in another type.
template <class T, class S>
[[nodiscard]] DenseRows<T> converted(const DenseRows<S>& M) {
  if constexpr (std::is_same_v<S, T>) {
    return M;
  } else {
    const auto visit_blocks = [M](const typename DenseRows<T>::Visit& visit) {
      Matrix<T> block;
      M.for_each_block([&](ConstMatrixView<S> rows) {
        const Index step = std::min(rows.rows, rows_per_block(rows.cols * Index{sizeof(T)}));
        if (block.rows() < step) block = Matrix<T>(step, rows.cols);
        for (Index begin = 0; begin < rows.rows; begin += step) {
          const Index count = std::min(step, rows.rows - begin);
          for (Index i = 0; i < count; ++i) {
            const S* const row = rows.row(begin + i);
            std::transform(row, row + rows.cols, block.view().row(i), [](S x) { return converted<T>(x); });
          }
          visit(std::as_const(block).view().middle_rows(0, count));
        }
      });
    };
    return {M.rows, M.cols, visit_blocks};
  }
}

/// All rows in memory.
template <class T>
[[nodiscard]] Matrix<T> collected(const DenseRows<T>& M) {
  Matrix<T> result(M.rows, M.cols);
  Index done = 0;
  M.for_each_block([&](ConstMatrixView<T> block) {
    for (Index i = 0; i < block.rows; ++i, ++done)
      std::copy_n(block.row(i), block.cols, result.view().row(done));
  });
  return result;
}

/// The entries that are not 0.
template <class T>
[[nodiscard]] Csr<T> compressed(const DenseRows<T>& M) {
  constexpr Index kLimit = std::numeric_limits<std::uint32_t>::max();
  if (M.rows > kLimit || M.cols > kLimit) {
    throw InvalidInput(
        fmt::format("the matrix is {} x {}; a sparse matrix may have at most {} rows and columns.", M.rows,
                    M.cols, kLimit));
  }
  Csr<T> result{M.rows, M.cols, {0}, {}, {}};
  M.for_each_block([&](ConstMatrixView<T> block) {
    for (Index i = 0; i < block.rows; ++i) {
      const T* const row = block.row(i);
      for (Index j = 0; j < block.cols; ++j) {
        if (row[j] == T{0}) continue;
        result.indices.push_back(static_cast<std::uint32_t>(j));
        result.values.push_back(row[j]);
      }
      result.offsets.push_back(static_cast<Index>(result.values.size()));
    }
  });
  return result;
}

}  // namespace anmf::io
