// SPDX-License-Identifier: MIT
#include "data/residual.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

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

}  // namespace

template <class S, class T>
double dense_residual(ConstMatrixView<S> M, ConstMatrixView<T> W, ConstMatrixView<T> Ht, ThreadPool& pool) {
  const auto fill = [&](Index begin, Index end, Matrix<T>& residual) {
    widen(M.middle_rows(begin, end), residual.view());
  };
  return summed_residual(W, Ht, pool, T{1}, fill, kNothing);
}

template <class T>
double sparse_residual(const Csr<T>& M, ConstMatrixView<T> W, ConstMatrixView<T> Ht, ThreadPool& pool) {
  const auto add = [&](Index begin, Index end, Matrix<T>& residual) {
    for (Index i = begin; i < end; ++i) {
      for (Index k = M.offsets[static_cast<std::size_t>(i)]; k < M.offsets[static_cast<std::size_t>(i) + 1];
           ++k) {
        residual(i - begin, M.indices[static_cast<std::size_t>(k)]) += M.values[static_cast<std::size_t>(k)];
      }
    }
  };
  return summed_residual(W, Ht, pool, T{0}, kNothing, add);
}

template <class T>
double residual_bytes(Index rows, Index cols, int threads) {
  // Data that is streamed by columns takes the residual of M'.
  const auto line = static_cast<double>(std::max({rows, cols, kEntriesAtOnce}));
  return line * sizeof(T) * static_cast<double>(threads);
}

template double residual_bytes<float>(Index, Index, int);
template double residual_bytes<double>(Index, Index, int);
// NOLINTBEGIN(bugprone-macro-parentheses): types cannot have them.
#define ANMF_INSTANTIATE(S, T) \
  template double dense_residual(ConstMatrixView<S>, ConstMatrixView<T>, ConstMatrixView<T>, ThreadPool&)
ANMF_INSTANTIATE(float, float);
ANMF_INSTANTIATE(std::uint8_t, float);
ANMF_INSTANTIATE(std::uint16_t, float);
ANMF_INSTANTIATE(double, double);
ANMF_INSTANTIATE(float, double);
ANMF_INSTANTIATE(std::uint8_t, double);
ANMF_INSTANTIATE(std::uint16_t, double);
#undef ANMF_INSTANTIATE
// NOLINTEND(bugprone-macro-parentheses)
template double sparse_residual(const Csr<float>&, ConstMatrixView<float>, ConstMatrixView<float>,
                                ThreadPool&);
template double sparse_residual(const Csr<double>&, ConstMatrixView<double>, ConstMatrixView<double>,
                                ThreadPool&);

}  // namespace anmf
