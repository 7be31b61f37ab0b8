// SPDX-License-Identifier: MIT
// Products with a dense M (m x n, row-major): single-threaded BLAS calls on fixed chunks.
//   side W: C (m x r) = M Ht,  split over rows of M;
//   side H: C (n x r) = M' W,  split over columns of M, or over rows when M has few columns.
// Cost 2 m n r flops each.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "anmf/data.h"
#include "anmf/error.h"
#include "core/blas.h"
#include "core/chunks.h"
#include "data/scale.h"
#include "validate/entries.h"

namespace anmf {
namespace {

// BLAS counts with 32-bit integers; one call never sums over more rows than this.
constexpr Index kMaxPanelRows = Index{1} << 20U;
// With fewer columns than this a split over columns leaves cores idle.
constexpr Index kFewColumns = 256;

template <class T>
void check_dense(ConstMatrixView<T> matrix) {
  validate::shape("M", matrix.rows, matrix.cols);
  if (matrix.data == nullptr) throw InvalidInput("M has no data: the pointer is null.");
  if (matrix.stride < matrix.cols) {
    throw InvalidInput(fmt::format("M has row stride {}; it must be at least its number of columns, {}.",
                                   matrix.stride, matrix.cols));
  }
  if (matrix.stride > std::numeric_limits<int>::max()) {
    throw InvalidInput(
        fmt::format("M has {} columns and row stride {}; a dense matrix may have at most {}. Transpose it.",
                    matrix.cols, matrix.stride, std::numeric_limits<int>::max()));
  }
  validate::entries("M", matrix);
}

/// C = M' W for columns [begin, end) of M.
template <class T>
void cross_columns(ConstMatrixView<T> M, ConstMatrixView<T> W, MatrixView<T> C, Index begin, Index end) {
  const MatrixView<T> out = C.middle_rows(begin, end);
  for (Index row = 0; row < M.rows; row += kMaxPanelRows) {
    const Index last = std::min(M.rows, row + kMaxPanelRows);
    const ConstMatrixView<T> panel(M.row(row) + begin, last - row, end - begin, M.stride);
    blas::gemm<T>(blas::Op::transpose, blas::Op::none, T{1}, panel, W.middle_rows(row, last),
                  row == 0 ? T{0} : T{1}, out);
  }
}

/// C = M' W as a sum of partial products over row chunks, added in chunk order.
template <class T>
void cross_by_rows(ConstMatrixView<T> M, ConstMatrixView<T> W, MatrixView<T> C, double flops,
                   ThreadPool& pool) {
  const Chunks chunks(M.rows, 1024, 16);
  std::vector<Matrix<T>> parts(static_cast<std::size_t>(chunks.count()));
  pool.for_each_chunk(chunks.count(), flops, [&](Index chunk) {
    const Index begin = chunks.begin(chunk);
    const Index end = chunks.end(chunk);
    Matrix<T>& part = parts[static_cast<std::size_t>(chunk)];
    part = Matrix<T>(M.cols, W.cols);
    cross_columns<T>(M.middle_rows(begin, end), W.middle_rows(begin, end), part.view(), 0, M.cols);
  });
  for (Index i = 0; i < C.rows; ++i) {
    for (Index p = 0; p < C.cols; ++p) {
      T sum = 0;
      for (const Matrix<T>& part : parts) sum += part(i, p);
      C(i, p) = sum;
    }
  }
}

}  // namespace

template <class T>
DenseData<T>::DenseData(ConstMatrixView<T> matrix) : matrix_(matrix) {
  check_dense(matrix);
  std::vector<char> column_used(static_cast<std::size_t>(matrix.cols), 0);
  double max = 0;
  for (Index i = 0; i < matrix.rows; ++i) {
    const T* row = matrix.row(i);
    T row_max = 0;
    for (Index j = 0; j < matrix.cols; ++j) {
      row_max = std::max(row_max, row[j]);
      column_used[static_cast<std::size_t>(j)] |= static_cast<char>(row[j] > T{0});
    }
    if (row_max == T{0}) ++empty_rows_;
    max = std::max(max, static_cast<double>(row_max));
  }
  empty_cols_ = std::count(column_used.begin(), column_used.end(), char{0});
  norm_ = scaled_norm(max, [&](const auto& visit) {
    for (Index i = 0; i < matrix.rows; ++i) {
      for (Index j = 0; j < matrix.cols; ++j) visit(static_cast<double>(matrix(i, j)));
    }
  });
}

template <class T>
void DenseData<T>::cross(Side side, ConstMatrixView<T> factor, MatrixView<T> result, ThreadPool& pool) const {
  const double flops = 2.0 * static_cast<double>(nonzeros()) * static_cast<double>(factor.cols);
  if (side == Side::W) {
    const Chunks chunks(matrix_.rows, 64, 256);
    pool.for_each_chunk(chunks.count(), flops, [&](Index chunk) {
      const Index begin = chunks.begin(chunk);
      const Index end = chunks.end(chunk);
      blas::gemm<T>(blas::Op::none, blas::Op::none, T{1}, matrix_.middle_rows(begin, end), factor, T{0},
                    result.middle_rows(begin, end));
    });
  } else if (matrix_.cols >= kFewColumns) {
    const Chunks chunks(matrix_.cols, 64, 256);
    pool.for_each_chunk(chunks.count(), flops, [&](Index chunk) {
      cross_columns<T>(matrix_, factor, result, chunks.begin(chunk), chunks.end(chunk));
    });
  } else {
    cross_by_rows<T>(matrix_, factor, result, flops, pool);
  }
}

template <class T>
std::optional<double> DenseData<T>::squared_residual(ConstMatrixView<T> W, ConstMatrixView<T> Ht,
                                                     ThreadPool& pool) const {
  const Index n = matrix_.cols;
  const Chunks chunks(matrix_.rows, std::max<Index>(1, 65536 / n), matrix_.rows);
  PartialSums<1> sums(chunks.count());
  const double flops = 2.0 * static_cast<double>(nonzeros()) * static_cast<double>(W.cols);
  pool.for_each_chunk(chunks.count(), flops, [&](Index chunk) {
    const Index begin = chunks.begin(chunk);
    const Index end = chunks.end(chunk);
    Matrix<T> residual(end - begin, n);
    for (Index i = begin; i < end; ++i) std::copy_n(matrix_.row(i), n, residual.data() + (i - begin) * n);
    blas::gemm<T>(blas::Op::none, blas::Op::transpose, T{-1}, W.middle_rows(begin, end), Ht, T{1},
                  residual.view());
    double sum = 0;
    for (const T x : residual.values()) sum += static_cast<double>(x) * static_cast<double>(x);
    sums.at(chunk)[0] = sum;
  });
  return sums.total()[0];
}

template class DenseData<float>;
template class DenseData<double>;

}  // namespace anmf
