// SPDX-License-Identifier: MIT
#pragma once

#include "anmf/data.h"
#include "anmf/parallel.h"
#include "core/chunks.h"

namespace anmf {

/// These rows of a matrix of `cols` columns whose entry k, in row order, is number(k): a pure function of the
/// position, so that threads and workers may share the work.
template <class T, class Number>
[[nodiscard]] Matrix<T> drawn_matrix(RowRange rows, Index cols, ThreadPool& pool, const Number& number) {
  Matrix<T> X(rows.count, cols);
  const Index first = rows.begin * cols;
  const Chunks chunks = row_chunks(rows.count);
  constexpr double kFlopsPerNumber = 40;
  pool.for_each_chunk(chunks.count(), kFlopsPerNumber * static_cast<double>(X.size()), [&](Index chunk) {
    for (Index k = chunks.begin(chunk) * cols; k < chunks.end(chunk) * cols; ++k) {
      X.data()[k] = static_cast<T>(number(first + k));
    }
  });
  return X;
}

/// All rows.
template <class T, class Number>
[[nodiscard]] Matrix<T> drawn_matrix(Index rows, Index cols, ThreadPool& pool, const Number& number) {
  return drawn_matrix<T>(RowRange{0, rows}, cols, pool, number);
}

}  // namespace anmf
