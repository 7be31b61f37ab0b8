// SPDX-License-Identifier: MIT
#pragma once

#include "anmf/parallel.h"
#include "core/chunks.h"

namespace anmf {

/// A rows x cols matrix whose entry k, in row order, is number(k): a pure function of the position, so that
/// threads may share the work.
template <class T, class Number>
[[nodiscard]] Matrix<T> drawn_matrix(Index rows, Index cols, ThreadPool& pool, const Number& number) {
  Matrix<T> X(rows, cols);
  const Chunks chunks = row_chunks(rows);
  constexpr double kFlopsPerNumber = 40;
  pool.for_each_chunk(chunks.count(), kFlopsPerNumber * static_cast<double>(X.size()), [&](Index chunk) {
    for (Index k = chunks.begin(chunk) * cols; k < chunks.end(chunk) * cols; ++k) {
      X.data()[k] = static_cast<T>(number(k));
    }
  });
  return X;
}

}  // namespace anmf
