// SPDX-License-Identifier: MIT
#include "anmf/predict.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "anmf/error.h"
#include "anmf/parallel.h"
#include "core/blas.h"
#include "core/chunks.h"
#include "validate/options.h"

namespace anmf {
namespace {

template <class T>
void check_factors(ConstMatrixView<T> W, ConstMatrixView<T> H, std::span<const double> scale) {
  if (W.cols != H.rows) {
    throw InvalidInput(fmt::format("W is {} x {} and H is {} x {}; W must have a column for each row of H.",
                                   W.rows, W.cols, H.rows, H.cols));
  }
  if (!scale.empty() && std::cmp_not_equal(scale.size(), H.rows)) {
    throw InvalidInput(fmt::format("There are {} numbers of scale for {} components; give one for each.",
                                   scale.size(), H.rows));
  }
}

/// W diag(scale).
template <class T>
Matrix<T> scaled_columns(ConstMatrixView<T> W, std::span<const double> scale) {
  Matrix<T> result(W.rows, W.cols);
  for (Index i = 0; i < W.rows; ++i) {
    for (Index p = 0; p < W.cols; ++p) {
      const double factor = scale.empty() ? 1.0 : scale[static_cast<std::size_t>(p)];
      result(i, p) = static_cast<T>(static_cast<double>(W(i, p)) * factor);
    }
  }
  return result;
}

}  // namespace

template <class T>
std::vector<T> predict_entries(ConstMatrixView<T> W, ConstMatrixView<T> H, PlacesView places,
                               std::span<const double> scale, int threads) {
  validate::threads(threads);
  check_factors(W, H, scale);
  if (std::cmp_not_equal(places.offsets.size(), W.rows + 1)) {
    throw InvalidInput(
        fmt::format("The places have {} rows, and W has {}.", places.offsets.size() - 1, W.rows));
  }
  const auto outside =
      std::ranges::find_if(places.indices, [&](std::uint32_t j) { return Index{j} >= H.cols; });
  if (outside != places.indices.end()) {
    throw InvalidInput(
        fmt::format("A place is in column {} (counted from 0), and H has {} columns.", *outside, H.cols));
  }
  const Matrix<T> Ht = transposed(H);
  const Matrix<T> left = scaled_columns(W, scale);
  std::vector<T> values(places.indices.size());
  ThreadPool pool(threads);
  constexpr Index kRowsAtOnce = 64;
  const Chunks chunks(W.rows, kRowsAtOnce, W.rows + 1);
  const double flops = 2.0 * static_cast<double>(values.size()) * static_cast<double>(W.cols);
  pool.for_each_chunk(chunks.count(), flops, [&](Index chunk) {
    for (Index i = chunks.begin(chunk); i < chunks.end(chunk); ++i) {
      const T* const w = left.view().row(i);
      auto k = static_cast<std::size_t>(places.offsets[static_cast<std::size_t>(i)] - places.offsets[0]);
      for (const std::uint32_t j : places.row(i)) {
        const T* const h = Ht.view().row(Index{j});
        double sum = 0;
        for (Index p = 0; p < W.cols; ++p) sum += static_cast<double>(w[p]) * static_cast<double>(h[p]);
        values[k++] = static_cast<T>(sum);
      }
    }
  });
  return values;
}

template <class T>
void predict_rows(ConstMatrixView<T> W, ConstMatrixView<T> H, std::span<const double> scale,
                  const std::function<void(Index, ConstMatrixView<T>)>& visit, int threads) {
  validate::threads(threads);
  check_factors(W, H, scale);
  constexpr Index kBlockBytes = Index{1} << 24;
  const Index step = std::clamp<Index>(kBlockBytes / Index{sizeof(T)} / std::max<Index>(1, H.cols), 1,
                                       std::max<Index>(1, W.rows));
  ThreadPool pool(threads);
  Matrix<T> block(step, H.cols);
  for (Index begin = 0; begin < W.rows; begin += step) {
    const Index end = std::min(W.rows, begin + step);
    const Matrix<T> rows = scaled_columns(W.middle_rows(begin, end), scale);
    constexpr Index kRowsAtOnce = 16;
    const Chunks chunks(end - begin, kRowsAtOnce, end - begin + 1);
    const double flops = 2.0 * static_cast<double>(rows.size()) * static_cast<double>(H.cols);
    pool.for_each_chunk(chunks.count(), flops, [&](Index chunk) {
      const Index first = chunks.begin(chunk);
      const Index last = chunks.end(chunk);
      blas::gemm<T>(blas::Op::none, blas::Op::none, T{1}, rows.view().middle_rows(first, last), H, T{0},
                    block.view().middle_rows(first, last));
    });
    visit(begin, std::as_const(block).view().middle_rows(0, end - begin));
  }
}

template std::vector<float> predict_entries(ConstMatrixView<float>, ConstMatrixView<float>, PlacesView,
                                            std::span<const double>, int);
template std::vector<double> predict_entries(ConstMatrixView<double>, ConstMatrixView<double>, PlacesView,
                                             std::span<const double>, int);
template void predict_rows(ConstMatrixView<float>, ConstMatrixView<float>, std::span<const double>,
                           const std::function<void(Index, ConstMatrixView<float>)>&, int);
template void predict_rows(ConstMatrixView<double>, ConstMatrixView<double>, std::span<const double>,
                           const std::function<void(Index, ConstMatrixView<double>)>&, int);

}  // namespace anmf
