// SPDX-License-Identifier: MIT
#include "data/residual.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <variant>

#include "core/blas.h"
#include "core/chunks.h"
#include "kernels/widen.h"

namespace anmf {
namespace {

constexpr Index kEntriesAtOnce = 65536;

/// ||M - W H||^2 in blocks of rows. Both functions are called with (begin, end, residual), residual being
/// these rows of it: fill_before may put rows of M there, to which the product is added if `from` is 1; if it
/// is 0 the product takes their place, and add_after adds what M has.
template <class T, class FillBefore, class AddAfter>
double summed_residual(ConstMatrixView<T> W, ConstMatrixView<T> Ht, ThreadPool& pool, T from,
                       const FillBefore& fill_before, const AddAfter& add_after) {
  const Index n = Ht.rows;
  const Chunks chunks(W.rows, std::max<Index>(1, kEntriesAtOnce / n), W.rows);
  PartialSums<1> sums(chunks.count());
  const double flops =
      2.0 * static_cast<double>(W.rows) * static_cast<double>(n) * static_cast<double>(W.cols);
  pool.for_each_chunk(chunks.count(), flops, [&](Index chunk) {
    const Index begin = chunks.begin(chunk);
    const Index end = chunks.end(chunk);
    Matrix<T> residual(end - begin, n);
    fill_before(begin, end, residual);
    blas::gemm<T>(blas::Op::none, blas::Op::transpose, T{-1}, W.middle_rows(begin, end), Ht, from,
                  residual.view());
    add_after(begin, end, residual);
    double sum = 0;
    for (const T x : residual.values()) sum += static_cast<double>(x) * static_cast<double>(x);
    sums.at(chunk)[0] = sum;
  });
  return sums.total()[0];
}

constexpr auto kNothing = [](Index, Index, const auto&) {};

template <class S, class T>
double lines_residual(ConstMatrixView<S> M, double divisor, ConstMatrixView<T> W, ConstMatrixView<T> Ht,
                      ThreadPool& pool) {
  const auto fill = [&](Index begin, Index end, Matrix<T>& residual) {
    widen(M.middle_rows(begin, end), residual.view());
    if (divisor == 1) return;
    for (T& x : residual.values()) x = static_cast<T>(static_cast<double>(x) / divisor);
  };
  return summed_residual(W, Ht, pool, T{1}, fill, kNothing);
}

template <class T>
double lines_residual(const SparseLines<T>& M, double divisor, ConstMatrixView<T> W, ConstMatrixView<T> Ht,
                      ThreadPool& pool) {
  const auto add = [&](Index begin, Index end, Matrix<T>& residual) {
    for (Index i = begin; i < end; ++i) {
      for (Index k = M.offsets[static_cast<std::size_t>(i)]; k < M.offsets[static_cast<std::size_t>(i) + 1];
           ++k) {
        const auto x = static_cast<double>(M.values[static_cast<std::size_t>(k)]);
        residual(i - begin, M.indices[static_cast<std::size_t>(k)]) += static_cast<T>(x / divisor);
      }
    }
  };
  return summed_residual(W, Ht, pool, T{0}, kNothing, add);
}

}  // namespace

template <class T>
double block_squared_residual(const EntryBlock<T>& block, ConstMatrixView<T> W, ConstMatrixView<T> Ht,
                              ThreadPool& pool) {
  const auto rows_of = [](ConstMatrixView<T> X, RowRange range) {
    return X.middle_rows(range.begin, range.begin + range.count);
  };
  ConstMatrixView<T> of_lines = rows_of(W, block.rows);
  ConstMatrixView<T> of_positions = rows_of(Ht, block.columns);
  if (block.layout == Layout::column_major) std::swap(of_lines, of_positions);  // M' - Ht W'
  return std::visit(
      [&](const auto& lines) { return lines_residual(lines, block.divisor, of_lines, of_positions, pool); },
      block.lines);
}

template <class T>
double residual_bytes(Index rows, Index cols, int threads) {
  // Data that is streamed by columns takes the residual of M'.
  const auto line = static_cast<double>(std::max({rows, cols, kEntriesAtOnce}));
  return line * sizeof(T) * static_cast<double>(threads);
}

template double residual_bytes<float>(Index, Index, int);
template double residual_bytes<double>(Index, Index, int);
template double block_squared_residual(const EntryBlock<float>&, ConstMatrixView<float>,
                                       ConstMatrixView<float>, ThreadPool&);
template double block_squared_residual(const EntryBlock<double>&, ConstMatrixView<double>,
                                       ConstMatrixView<double>, ThreadPool&);

}  // namespace anmf
