// SPDX-License-Identifier: MIT
// A row of X stays in vector registers while multiples of it are added to the rows of C that a row of M
// names. The last vector of a row overlaps the one before it instead of reaching beyond the end; all are read
// before any is written, so that where both hold the same column they hold the same sum.
#include "kernels/sparse_scatter.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/sparse_scatter.cpp"
#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
#include <hwy/foreach_target.h>
// Behind foreach_target.h, as Highway wants it.
#include <hwy/cache_control.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace anmf::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t kLineBytes = 64;
// Rows of C are asked for this many entries before they are needed.
constexpr std::ptrdiff_t kEntriesAhead = 16;
// Vectors of X and sums of C that are held at a time.
constexpr std::size_t kMostVectors = HWY_TARGET == HWY_AVX2 ? 7 : 14;

/// `columns` columns of X and C from the first on that `factor` and `result` point at, for the columns
/// [begin, end) of M.
template <class T>
struct Panel {
  const T* factor;
  std::size_t factor_stride;
  T* result;
  std::size_t result_stride;
  std::size_t columns;
  std::uint32_t begin;
  std::uint32_t last;  // end - 1, which fits where end may not
};

/// One panel of Lanes(d) * (kVectors - 1) < columns <= Lanes(d) * kVectors, or Lanes(d) if kVectors is 1.
template <std::size_t kVectors, class D, class T = hn::TFromD<D>>
HWY_ATTR void add_multiples(D d, const Csr<T>& M, const Panel<T>& panel) {
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t last_vector = panel.columns - lanes;
  const std::uint32_t* indices = M.indices.data();
  const T* values = M.values.data();
  const std::ptrdiff_t last_entry = std::ssize(M.indices) - 1;
  for (std::size_t i = 0; i < static_cast<std::size_t>(M.rows); ++i) {
    const std::uint32_t* row_end = indices + M.offsets[i + 1];
    const std::uint32_t* at = std::lower_bound(indices + M.offsets[i], row_end, panel.begin);
    if (at == row_end || *at > panel.last) continue;
    const T* x = panel.factor + i * panel.factor_stride;
    hn::Vec<D> row[kVectors];
    for (std::size_t v = 0; v + 1 < kVectors; ++v) row[v] = hn::LoadU(d, x + v * lanes);
    row[kVectors - 1] = hn::LoadU(d, x + last_vector);
    for (; at != row_end && *at <= panel.last; ++at) {
      const T* ahead =
          panel.result + indices[std::min(at - indices + kEntriesAhead, last_entry)] * panel.result_stride;
      for (std::size_t p = 0; p < kVectors * lanes; p += kLineBytes / sizeof(T)) hwy::Prefetch(ahead + p);
      hwy::Prefetch(ahead + panel.columns - 1);
      T* out = panel.result + *at * panel.result_stride;
      const auto value = hn::Set(d, values[at - indices]);
      hn::Vec<D> sums[kVectors];
      for (std::size_t v = 0; v + 1 < kVectors; ++v) {
        sums[v] = hn::MulAdd(value, row[v], hn::LoadU(d, out + v * lanes));
      }
      sums[kVectors - 1] = hn::MulAdd(value, row[kVectors - 1], hn::LoadU(d, out + last_vector));
      for (std::size_t v = 0; v + 1 < kVectors; ++v) hn::StoreU(sums[v], d, out + v * lanes);
      hn::StoreU(sums[kVectors - 1], d, out + last_vector);
    }
  }
}

/// Finds the kernel that holds `vectors` of them, kVectors at the most.
template <std::size_t kVectors, class D, class T = hn::TFromD<D>>
void add_vectors(D d, std::size_t vectors, const Csr<T>& M, const Panel<T>& panel) {
  if constexpr (kVectors > 1) {
    if (vectors < kVectors) return add_vectors<kVectors - 1>(d, vectors, M, panel);
  }
  add_multiples<kVectors>(d, M, panel);
}

/// Takes the widest vectors that a row of X can fill, and splits its columns evenly.
template <std::size_t kMost, class D, class T = hn::TFromD<D>>
void add_columns(D d, const Csr<T>& M, const Panel<T>& whole) {
  const std::size_t lanes = hn::Lanes(d);
  if constexpr (hn::MaxLanes(d) > 1) {
    if (whole.columns < lanes) return add_columns<2>(hn::Half<D>(), M, whole);
  }
  const std::size_t vectors = (whole.columns + lanes - 1) / lanes;
  const std::size_t panels = (vectors + kMost - 1) / kMost;
  for (std::size_t q = 0; q < panels; ++q) {
    const std::size_t first = vectors * q / panels;
    const std::size_t last = vectors * (q + 1) / panels;
    Panel<T> panel = whole;
    panel.factor += first * lanes;
    panel.result += first * lanes;
    panel.columns = std::min(last * lanes, whole.columns) - first * lanes;
    add_vectors<kMost>(d, last - first, M, panel);
  }
}

template <class T>
void sparse_scatter_for_target(const Csr<T>& M, ConstMatrixView<T> X, MatrixView<T> C, Index begin,
                               Index end) {
  if (begin >= end) return;
  add_columns<kMostVectors>(hn::ScalableTag<T>(), M,
                            Panel<T>{.factor = X.data,
                                     .factor_stride = static_cast<std::size_t>(X.stride),
                                     .result = C.data,
                                     .result_stride = static_cast<std::size_t>(C.stride),
                                     .columns = static_cast<std::size_t>(X.cols),
                                     .begin = static_cast<std::uint32_t>(begin),
                                     .last = static_cast<std::uint32_t>(end - 1)});
}

void sparse_scatter_float(const Csr<float>& M, ConstMatrixView<float> X, MatrixView<float> C, Index begin,
                          Index end) {
  sparse_scatter_for_target(M, X, C, begin, end);
}

void sparse_scatter_double(const Csr<double>& M, ConstMatrixView<double> X, MatrixView<double> C, Index begin,
                           Index end) {
  sparse_scatter_for_target(M, X, C, begin, end);
}

}  // namespace
}  // namespace anmf::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace anmf {
namespace {

HWY_EXPORT(sparse_scatter_float);
HWY_EXPORT(sparse_scatter_double);

}  // namespace

template <>
void sparse_scatter(const Csr<float>& M, ConstMatrixView<float> X, MatrixView<float> C, Index begin,
                    Index end) {
  HWY_DYNAMIC_DISPATCH(sparse_scatter_float)(M, X, C, begin, end);
}

template <>
void sparse_scatter(const Csr<double>& M, ConstMatrixView<double> X, MatrixView<double> C, Index begin,
                    Index end) {
  HWY_DYNAMIC_DISPATCH(sparse_scatter_double)(M, X, C, begin, end);
}

}  // namespace anmf
#endif
