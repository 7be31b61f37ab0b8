// SPDX-License-Identifier: MIT
// A row of C stays in vector registers while the entries of a row of M are added to it, so that every entry
// costs one pass over a row of F and nothing else. The last vector of a row overlaps the one before it
// instead of reaching beyond the end; where both hold the same column they hold the same sum.
//
// A large F is taken in segments of rows that fit a cache: all rows of C gather from one segment before the
// next one, and meanwhile keep their sums in C. Every row still adds its entries in the same order, so the
// segments do not change a bit of the result.
#include "kernels/sparse_cross.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/sparse_cross.cpp"
#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace anmf::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t kLineBytes = 64;
// Rows of F are asked for this many entries before they are needed.
constexpr std::size_t kEntriesAhead = 16;
// A smaller F stays in the first-level cache, and asking for its rows only costs time. So it does for short
// rows of an F that some cache holds: the processor itself looks far enough ahead.
constexpr std::size_t kCachedFactorBytes = std::size_t{1} << 15U;
constexpr std::size_t kShortRowBytes = 4 * kLineBytes;
// Sums of one row that are held at a time: the registers of the machine less a few for values and addresses.
constexpr std::size_t kMostVectors = HWY_TARGET == HWY_AVX2 ? 13 : 16;

/// `columns` columns of F and C from the first on that `factor` and `result` point at.
template <class T>
struct Panel {
  const T* factor;
  std::size_t factor_stride;
  T* result;
  std::size_t result_stride;
  std::size_t columns;
};

struct Rows {
  std::size_t begin;
  std::size_t end;
};

/// The entries of each row whose columns lie in one segment of F: those from cursors[i] on and below
/// `end_column`. Cursors move on; sums begin at zero in the first segment only.
struct Segment {
  std::size_t* cursors;  // of row rows.begin on
  std::size_t end_column;
  bool first;
};

/// One panel of Lanes(d) * (kVectors - 1) < columns <= Lanes(d) * kVectors, or Lanes(d) if kVectors is 1.
template <std::size_t kVectors, bool kPrefetch, class D, class T = hn::TFromD<D>>
HWY_ATTR void add_rows(D d, const Csr<T>& M, Rows rows, const Panel<T>& panel, const Segment& segment) {
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t last_vector = panel.columns - lanes;
  const Index* offsets = M.offsets.data();
  const std::uint32_t* indices = M.indices.data();
  const T* values = M.values.data();
  const std::size_t last_entry = M.values.size() - 1;
  for (std::size_t i = rows.begin; i < rows.end; ++i) {
    const auto end = static_cast<std::size_t>(offsets[i + 1]);
    std::size_t k = segment.cursors[i - rows.begin];
    if (!segment.first && (k == end || indices[k] >= segment.end_column)) continue;
    T* out = panel.result + i * panel.result_stride;
    hn::Vec<D> sums[kVectors];
    if (segment.first) {
      for (std::size_t v = 0; v < kVectors; ++v) sums[v] = hn::Zero(d);
    } else {
      for (std::size_t v = 0; v + 1 < kVectors; ++v) sums[v] = hn::LoadU(d, out + v * lanes);
      sums[kVectors - 1] = hn::LoadU(d, out + last_vector);
    }
    for (; k < end && indices[k] < segment.end_column; ++k) {
      if constexpr (kPrefetch) {
        const T* ahead =
            panel.factor + indices[std::min(k + kEntriesAhead, last_entry)] * panel.factor_stride;
        constexpr std::size_t kLineEntries = kLineBytes / sizeof(T);
        for (std::size_t p = 0; p < kVectors * lanes; p += kLineEntries) hwy::Prefetch(ahead + p);
        hwy::Prefetch(ahead + panel.columns - 1);
      }
      const T* row = panel.factor + indices[k] * panel.factor_stride;
      const auto value = hn::Set(d, values[k]);
      for (std::size_t v = 0; v + 1 < kVectors; ++v) {
        sums[v] = hn::MulAdd(value, hn::LoadU(d, row + v * lanes), sums[v]);
      }
      sums[kVectors - 1] = hn::MulAdd(value, hn::LoadU(d, row + last_vector), sums[kVectors - 1]);
    }
    segment.cursors[i - rows.begin] = k;
    for (std::size_t v = 0; v + 1 < kVectors; ++v) hn::StoreU(sums[v], d, out + v * lanes);
    hn::StoreU(sums[kVectors - 1], d, out + last_vector);
  }
}

/// Finds the kernel that holds `vectors` of them, kVectors at the most.
template <std::size_t kVectors, bool kPrefetch, class D, class T = hn::TFromD<D>>
void add_vectors(D d, std::size_t vectors, const Csr<T>& M, Rows rows, const Panel<T>& panel,
                 const Segment& segment) {
  if constexpr (kVectors > 1) {
    if (vectors < kVectors) {
      return add_vectors<kVectors - 1, kPrefetch>(d, vectors, M, rows, panel, segment);
    }
  }
  add_rows<kVectors, kPrefetch>(d, M, rows, panel, segment);
}

template <std::size_t kMost, class D, class T = hn::TFromD<D>>
void add_segments(D d, std::size_t vectors, const Csr<T>& M, Rows rows, const Panel<T>& panel) {
  const auto factor_rows = static_cast<std::size_t>(M.cols);
  const std::size_t row_bytes = panel.columns * sizeof(T);
  const std::size_t bytes = factor_rows * row_bytes;
  const bool cached = bytes <= (row_bytes <= kShortRowBytes ? kSegmentBytes : kCachedFactorBytes);
  const auto count = static_cast<std::size_t>(factor_segments(M, static_cast<Index>(panel.columns)));
  std::vector<std::size_t> cursors(rows.end - rows.begin);
  std::copy(M.offsets.begin() + static_cast<std::ptrdiff_t>(rows.begin),
            M.offsets.begin() + static_cast<std::ptrdiff_t>(rows.end), cursors.begin());
  for (std::size_t s = 0; s < count; ++s) {
    const Segment segment{
        .cursors = cursors.data(), .end_column = factor_rows * (s + 1) / count, .first = s == 0};
    if (cached) {
      add_vectors<kMost, false>(d, vectors, M, rows, panel, segment);
    } else {
      add_vectors<kMost, true>(d, vectors, M, rows, panel, segment);
    }
  }
}

template <std::size_t kMost, class D, class T = hn::TFromD<D>>
void add_panels(D d, const Csr<T>& M, Rows rows, const Panel<T>& whole) {
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t vectors = (whole.columns + lanes - 1) / lanes;
  const std::size_t panels = (vectors + kMost - 1) / kMost;
  for (std::size_t q = 0; q < panels; ++q) {
    const std::size_t first = vectors * q / panels;
    const std::size_t last = vectors * (q + 1) / panels;
    Panel<T> panel = whole;
    panel.factor += first * lanes;
    panel.result += first * lanes;
    panel.columns = std::min(last * lanes, whole.columns) - first * lanes;
    add_segments<kMost>(d, last - first, M, rows, panel);
  }
}

/// Takes the widest vectors that a row of F can fill.
template <std::size_t kMost, class D, class T = hn::TFromD<D>>
void add_columns(D d, const Csr<T>& M, Rows rows, const Panel<T>& panel) {
  if constexpr (hn::MaxLanes(d) > 1) {
    if (panel.columns < hn::Lanes(d)) return add_columns<2>(hn::Half<D>(), M, rows, panel);
  }
  add_panels<kMost>(d, M, rows, panel);
}

template <class T>
void sparse_cross_for_target(const Csr<T>& M, ConstMatrixView<T> F, MatrixView<T> C, Index begin, Index end) {
  const Panel<T> panel{.factor = F.data,
                       .factor_stride = static_cast<std::size_t>(F.stride),
                       .result = C.data,
                       .result_stride = static_cast<std::size_t>(C.stride),
                       .columns = static_cast<std::size_t>(F.cols)};
  const Rows rows{.begin = static_cast<std::size_t>(begin), .end = static_cast<std::size_t>(end)};
  add_columns<kMostVectors>(hn::ScalableTag<T>(), M, rows, panel);
}

void sparse_cross_float(const Csr<float>& M, ConstMatrixView<float> F, MatrixView<float> C, Index begin,
                        Index end) {
  sparse_cross_for_target(M, F, C, begin, end);
}

void sparse_cross_double(const Csr<double>& M, ConstMatrixView<double> F, MatrixView<double> C, Index begin,
                         Index end) {
  sparse_cross_for_target(M, F, C, begin, end);
}

}  // namespace
}  // namespace anmf::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace anmf {
namespace {

HWY_EXPORT(sparse_cross_float);
HWY_EXPORT(sparse_cross_double);

}  // namespace

template <>
void sparse_cross(const Csr<float>& M, ConstMatrixView<float> F, MatrixView<float> C, Index begin,
                  Index end) {
  HWY_DYNAMIC_DISPATCH(sparse_cross_float)(M, F, C, begin, end);
}

template <>
void sparse_cross(const Csr<double>& M, ConstMatrixView<double> F, MatrixView<double> C, Index begin,
                  Index end) {
  HWY_DYNAMIC_DISPATCH(sparse_cross_double)(M, F, C, begin, end);
}

}  // namespace anmf
#endif
