// SPDX-License-Identifier: MIT
#include "consensus/cluster_sums.h"

#include "core/chunks.h"

namespace anmf {

Matrix<double> cluster_sums(ConstMatrixView<double> X, std::span<const Index> labels, Index k,
                            ThreadPool& pool) {
  Matrix<double> sums(k, X.cols);
  const Chunks columns(X.cols, 128);  // of all rows, so that the order of the additions is theirs
  pool.for_each_chunk(columns.count(), static_cast<double>(X.rows * X.cols), [&](Index chunk) {
    for (Index i = 0; i < X.rows; ++i) {
      const Index label = labels[static_cast<std::size_t>(i)];
      if (label == kNoCluster) continue;
      for (Index j = columns.begin(chunk); j < columns.end(chunk); ++j) sums(label, j) += X(i, j);
    }
  });
  return sums;
}

}  // namespace anmf
