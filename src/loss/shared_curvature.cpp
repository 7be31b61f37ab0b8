// SPDX-License-Identifier: MIT
#include "loss/shared_curvature.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "core/chunks.h"
#include "core/sums.h"
#include "kernels/dense_cross.h"

namespace anmf {

template <class T>
Matrix<T> guessed_curvature(const RowProblem<T>& problem, ConstMatrixView<T> X, const Workers& workers) {
  const auto r = static_cast<std::size_t>(X.cols);
  std::vector<double> sums(r + 1, 0.0);  // of the columns of X, and of its rows
  for (Index i = 0; i < X.rows; ++i) {
    for (std::size_t p = 0; p < r; ++p) sums[p] += static_cast<double>(X.row(i)[p]);
  }
  sums[r] = static_cast<double>(X.rows);
  workers.sum(sums);
  std::vector<T> mean(r);
  for (std::size_t p = 0; p < r; ++p) mean[p] = static_cast<T>(sums[p] / sums[r]);
  Matrix<T> curvature(problem.F.rows, 1);
  for (Index j = 0; j < problem.F.rows; ++j) {
    const double y =
        std::max(dot(X.cols, mean.data(), problem.F.row(j)), static_cast<double>(kLeastModel<T>));
    curvature(j, 0) = static_cast<T>(std::pow(y, problem.beta - 2));
  }
  return curvature;
}

template <class T>
Matrix<T> weighted_gram(ConstMatrixView<T> F, const Matrix<T>& u, ThreadPool& pool) {
  const Index r = F.cols;
  const Chunks chunks(F.rows, 512, 64);
  std::vector<Matrix<T>> parts(static_cast<std::size_t>(chunks.count()));
  const double flops = 2.0 * static_cast<double>(F.rows) * static_cast<double>(r) * static_cast<double>(r);
  pool.for_each_chunk(chunks.count(), flops, [&](Index chunk) {
    const Index begin = chunks.begin(chunk);
    const Index end = chunks.end(chunk);
    Matrix<T> weighted(end - begin, r);
    for (Index j = begin; j < end; ++j) {
      for (Index p = 0; p < r; ++p) weighted(j - begin, p) = u(j, 0) * F(j, p);
    }
    Matrix<T>& part = parts[static_cast<std::size_t>(chunk)];
    part = Matrix<T>(r, r);
    dense_cross<T>(blas::Op::transpose, std::as_const(weighted).view(), F.middle_rows(begin, end),
                   part.view(), false);
  });
  Matrix<T> sum(r, r);
  for (const Matrix<T>& part : parts) {
    for (Index k = 0; k < r * r; ++k) sum.data()[k] += part.data()[k];
  }
  for (Index p = 0; p < r; ++p) {
    for (Index q = 0; q < p; ++q) sum(p, q) = sum(q, p);
  }
  return sum;
}

template Matrix<float> guessed_curvature(const RowProblem<float>&, ConstMatrixView<float>, const Workers&);
template Matrix<double> guessed_curvature(const RowProblem<double>&, ConstMatrixView<double>, const Workers&);
template Matrix<float> weighted_gram(ConstMatrixView<float>, const Matrix<float>&, ThreadPool&);
template Matrix<double> weighted_gram(ConstMatrixView<double>, const Matrix<double>&, ThreadPool&);

}  // namespace anmf
