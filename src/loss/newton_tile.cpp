// SPDX-License-Identifier: MIT
#include "loss/newton_tile.h"

#include <algorithm>

#include "core/blas.h"
#include "kernels/dense_cross.h"

namespace anmf {
namespace {

// Columns whose models, slopes and steps follow each other while they are in the caches.
constexpr Index kTileColumns = 256;

/// Some columns of a tile whose rows have all of them.
template <class T>
MatrixView<T> tile_columns(Matrix<T>& whole, Index rows, Index begin, Index end) {
  return {whole.data() + begin, rows, end - begin, whole.cols()};
}
template <class T>
ConstMatrixView<T> columns_of(const Matrix<T>& turned, Index begin, Index end) {
  return {turned.data() + begin, turned.rows(), end - begin, turned.cols()};
}
template <class T>
EntryTile<T> tile_entries(ConstMatrixView<T> x, const Matrix<T>& weights, Index begin, Index end) {
  return {.x = x.data + begin,
          .x_stride = static_cast<std::size_t>(x.stride),
          .stride = static_cast<std::size_t>(x.cols),
          .rows = static_cast<std::size_t>(x.rows),
          .n = static_cast<std::size_t>(end - begin),
          .weights = weights.rows() == 0 ? nullptr : weights.data() + begin};
}

}  // namespace

template <class T>
NewtonTile<T>::NewtonTile(Index rows, Index K, Index r)
    : x(rows, K),
      y(rows, K),
      s(rows, K),
      gradient(rows, r),
      cross(rows, r),
      moved(rows, r),
      panels(2, r),
      nothing(static_cast<std::size_t>(r), T{0}),
      sums(static_cast<std::size_t>(rows)),
      share(static_cast<std::size_t>(rows)),
      slopes(static_cast<std::size_t>(rows)) {}

template <class T>
void NewtonTile<T>::make_models(const RowProblem<T>& problem, const Matrix<T>& turned,
                                ConstMatrixView<T> entries, ConstMatrixView<T> X, const T* u, T* total) {
  const MatrixView<T> gradients = rows_of(gradient, X.rows);
  std::fill(sums.begin(), sums.end(), ModelSums{});
  for (Index begin = 0; begin < entries.cols; begin += kTileColumns) {
    const Index end = std::min(entries.cols, begin + kTileColumns);
    const MatrixView<T> models = tile_columns(y, X.rows, begin, end);
    const MatrixView<T> model_slopes = tile_columns(s, X.rows, begin, end);
    dense_cross<T>(blas::Op::none, X, columns_of(turned, begin, end), models, false);
    divergence_kernels<T>().models(problem.beta, tile_entries(entries, weights, begin, end), kLeastModel<T>,
                                   models.data, u + begin, model_slopes.data, sums.data(), total + begin);
    dense_cross<T>(blas::Op::none, model_slopes, problem.F.middle_rows(begin, end), gradients, begin > 0);
  }
  for (std::size_t i = 0; i < static_cast<std::size_t>(X.rows); ++i) {
    share[i] = static_cast<T>(sums[i].shared > 0 ? sums[i].curvature / sums[i].shared : 0);
  }
  if (problem.penalty.none()) return;
  const auto l1 = static_cast<T>(problem.penalty.l1);
  const auto l2 = static_cast<T>(problem.penalty.l2);
  for (Index i = 0; i < X.rows; ++i) {
    for (Index p = 0; p < X.cols; ++p) gradients(i, p) += l1 + l2 * X(i, p);
  }
}

template <class T>
void NewtonTile<T>::make_steps(const RowProblem<T>& problem, const Matrix<T>& turned,
                               ConstMatrixView<T> entries, T* shared) {
  const ConstMatrixView<T> steps = rows_of(moved, entries.rows);
  std::fill(slopes.begin(), slopes.end(), 0.0);
  for (Index begin = 0; begin < entries.cols; begin += kTileColumns) {
    const Index end = std::min(entries.cols, begin + kTileColumns);
    const MatrixView<T> model_steps = tile_columns(s, entries.rows, begin, end);
    dense_cross<T>(blas::Op::none, steps, columns_of(turned, begin, end), model_steps, false);
    divergence_kernels<T>().slopes(problem.beta, tile_entries(entries, weights, begin, end), y.data() + begin,
                                   model_steps.data, share.data(), slopes.data(), shared + begin);
  }
}

template struct NewtonTile<float>;
template struct NewtonTile<double>;

}  // namespace anmf
