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

std::vector<Index> balanced_rows(const std::vector<Index>& offsets) {
  const auto rows = static_cast<Index>(offsets.size()) - 1;
  const Index work = offsets.back() + rows;
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

// A part of the columns belongs to a part of C. It should stay in the second-level cache while the rows of M
// go by, and every row should have some entries in it, since it has to be looked up there.
template <class T>
void add_transposed_product(const Csr<T>& M, const std::vector<Index>& runs, ConstMatrixView<T> X,
                            MatrixView<T> C, ThreadPool& pool) {
  constexpr Index kPartBytes = Index{1} << 19U;
  constexpr Index kEntriesPerPart = 8;
  if (M.values.empty()) return;
  const auto all = static_cast<Index>(runs.size()) - 1;
  const Index by_size = C.rows * C.cols * Index{sizeof(T)} / kPartBytes;
  const Index by_entries = static_cast<Index>(M.values.size()) / M.rows / kEntriesPerPart;
  const Index for_team = pool.threads() == 1 ? 1 : kChunksPerThread * pool.threads();
  const Index parts = std::clamp<Index>(std::max(for_team, std::min(by_size, by_entries)), 1, all);
  pool.for_each_chunk(parts, product_flops(M, X.cols), [&](Index part) {
    const Index begin = runs[static_cast<std::size_t>(all * part / parts)];
    const Index end = runs[static_cast<std::size_t>(all * (part + 1) / parts)];
    sparse_scatter(M, X, C, begin, end);
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
