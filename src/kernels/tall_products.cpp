// SPDX-License-Identifier: MIT
#include "kernels/tall_products.h"

#include <vector>

#include "core/blas.h"
#include "core/chunks.h"

namespace anmf {

template <class T>
Matrix<T> transposed_product(ConstMatrixView<T> X, ConstMatrixView<T> F, ThreadPool& pool) {
  const Chunks chunks(X.rows, 512, 32);
  std::vector<Matrix<T>> parts(static_cast<std::size_t>(chunks.count()));
  const double flops = 2.0 * static_cast<double>(X.rows * X.cols) * static_cast<double>(F.cols);
  pool.for_each_chunk(chunks.count(), flops, [&](Index chunk) {
    const Index begin = chunks.begin(chunk);
    const Index end = chunks.end(chunk);
    Matrix<T>& part = parts[static_cast<std::size_t>(chunk)];
    part = Matrix<T>(X.cols, F.cols);
    blas::gemm<T>(blas::Op::transpose, blas::Op::none, T{1}, X.middle_rows(begin, end),
                  F.middle_rows(begin, end), T{0}, part.view());
  });
  Matrix<T> sum(X.cols, F.cols);
  for (const Matrix<T>& part : parts) {
    for (Index k = 0; k < sum.size(); ++k) sum.data()[k] += part.data()[k];
  }
  return sum;
}

template <class T>
void multiply_small(ConstMatrixView<T> X, ConstMatrixView<T> S, MatrixView<T> result, ThreadPool& pool) {
  const Chunks chunks = row_chunks(X.rows);
  const double flops = 2.0 * static_cast<double>(X.rows * X.cols) * static_cast<double>(S.cols);
  pool.for_each_chunk(chunks.count(), flops, [&](Index chunk) {
    const Index begin = chunks.begin(chunk);
    const Index end = chunks.end(chunk);
    blas::gemm<T>(blas::Op::none, blas::Op::none, T{1}, X.middle_rows(begin, end), S, T{0},
                  result.middle_rows(begin, end));
  });
}

template Matrix<float> transposed_product(ConstMatrixView<float>, ConstMatrixView<float>, ThreadPool&);
template Matrix<double> transposed_product(ConstMatrixView<double>, ConstMatrixView<double>, ThreadPool&);
template void multiply_small(ConstMatrixView<float>, ConstMatrixView<float>, MatrixView<float>, ThreadPool&);
template void multiply_small(ConstMatrixView<double>, ConstMatrixView<double>, MatrixView<double>,
                             ThreadPool&);

}  // namespace anmf
