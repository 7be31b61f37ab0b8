// SPDX-License-Identifier: MIT
#include "data/sparse_product.h"

#include <algorithm>
#include <cstddef>

#include "kernels/sparse_cross.h"
#include "kernels/sparse_scatter.h"

namespace anmf {
namespace {

constexpr Index kChunksPerThread = 4;

template <class T>
double product_flops(const Csr<T>& M, Index r) {
  return 2.0 * static_cast<double>(M.values.size()) * static_cast<double>(r);
}

}  // namespace

std::vector<Index> balanced_rows(std::span<const Index> offsets) {
  const auto rows = static_cast<Index>(offsets.size()) - 1;
  const Index work = offsets.back() - offsets.front() + rows;
  const Index grain = std::max<Index>(4096, (work + 255) / 256);
  std::vector<Index> bounds = {0};
  for (Index i = 0; i < rows; ++i) {
    const auto last = static_cast<std::size_t>(bounds.back());
    const Index done = offsets[static_cast<std::size_t>(i) + 1] + i + 1 - (offsets[last] + bounds.back());
    if (done >= grain) bounds.push_back(i + 1);
  }
  if (bounds.back() != rows) bounds.push_back(rows);
  return bounds;
}

template <class T>
void sparse_product(const Csr<T>& M, const std::vector<Index>& runs, ConstMatrixView<T> F, MatrixView<T> C,
                    ThreadPool& pool) {
  const auto all = static_cast<Index>(runs.size()) - 1;
  const Index chunks =
      factor_segments(M, F.cols) > 1 ? std::min<Index>(all, kChunksPerThread * pool.threads()) : all;
  pool.for_each_chunk(chunks, product_flops(M, F.cols), [&](Index chunk) {
    const auto begin = static_cast<std::size_t>(all * chunk / chunks);
    const auto end = static_cast<std::size_t>(all * (chunk + 1) / chunks);
    sparse_cross(M, F, C, runs[begin], runs[end]);
  });
}

// A task takes some columns of X and C, whole cache lines of them if it can, and all of M: rows of C that
// come next can then be asked for ahead, which looking up a part of every row of M would break off. Only a
// team that is larger than that also cuts the columns of M.
template <class T>
void add_transposed_product(const Csr<T>& M, const std::vector<Index>& runs, ConstMatrixView<T> X,
                            MatrixView<T> C, ThreadPool& pool) {
  constexpr Index kLineEntries = 64 / Index{sizeof(T)};
  if (M.values.empty()) return;
  const auto all = static_cast<Index>(runs.size()) - 1;
  const Index slices = std::clamp<Index>(X.cols / kLineEntries, 1, pool.threads());
  const Index parts = std::min<Index>(all, (pool.threads() + slices - 1) / slices);
  pool.for_each_chunk(slices * parts, product_flops(M, X.cols), [&](Index task) {
    const Index slice = task % slices;
    const Index part = task / slices;
    const Index first = X.cols * slice / slices;
    const Index columns = X.cols * (slice + 1) / slices - first;
    sparse_scatter(M, ConstMatrixView<T>(X.data + first, X.rows, columns, X.stride),
                   MatrixView<T>(C.data + first, C.rows, columns, C.stride),
                   runs[static_cast<std::size_t>(all * part / parts)],
                   runs[static_cast<std::size_t>(all * (part + 1) / parts)]);
  });
}

template void sparse_product(const Csr<float>&, const std::vector<Index>&, ConstMatrixView<float>,
                             MatrixView<float>, ThreadPool&);
template void sparse_product(const Csr<double>&, const std::vector<Index>&, ConstMatrixView<double>,
                             MatrixView<double>, ThreadPool&);
template void add_transposed_product(const Csr<float>&, const std::vector<Index>&, ConstMatrixView<float>,
                                     MatrixView<float>, ThreadPool&);
template void add_transposed_product(const Csr<double>&, const std::vector<Index>&, ConstMatrixView<double>,
                                     MatrixView<double>, ThreadPool&);

}  // namespace anmf
