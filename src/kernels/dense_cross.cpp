// SPDX-License-Identifier: MIT
// A small block of C, kRows rows by kVectors vectors, stays in registers while the inner index k runs: every
// k costs kVectors loads of F, kRows entries of A spread over a vector each, and kRows * kVectors
// multiply-adds. The last vector of a row overlaps the one before it instead of reaching beyond the end;
// where both hold the same column they hold the same sum. Rows shorter than a vector are loaded and stored in
// part.
#include "kernels/dense_cross.h"

#include <algorithm>
#include <cstddef>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/dense_cross.cpp"
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

// The accumulators fill the registers but for the vectors of F and one spread entry of A.
constexpr std::size_t kRegisters = HWY_TARGET == HWY_AVX2 ? 16 : 32;
constexpr std::size_t kMostVectors = kRegisters == 32 ? 4 : 3;

constexpr std::size_t most_rows(std::size_t vectors) {
  return std::min<std::size_t>((kRegisters - 1 - vectors) / vectors, 12) / 2 * 2;
}

/// One call's operands. Entry (i, k) of op(A) is a[i * stride + k], or a[k * stride + i] if op transposes.
template <class T>
struct Block {
  const T* a;
  std::size_t stride;  // between the rows of A as it lies in memory
  const T* f;
  std::size_t f_stride;
  T* c;
  std::size_t c_stride;
  std::size_t inner;
  std::size_t columns;
  Upcoming upcoming;
  bool add;
};

/// The vector that a row of F or C ends with: whole, or its first `count` lanes alone.
template <bool kWhole, class D, class T = hn::TFromD<D>>
HWY_INLINE hn::Vec<D> load_last(D d, const T* at, std::size_t count) {
  if constexpr (kWhole) return hn::LoadU(d, at);
#if HWY_MEM_OPS_MIGHT_FAULT  // also in lanes that a mask leaves out
  HWY_ALIGN T lanes[hn::MaxLanes(d)] = {};
  std::copy_n(at, count, lanes);
  return hn::Load(d, lanes);
#else
  return hn::MaskedLoad(hn::FirstN(d, count), d, at);
#endif
}

template <bool kWhole, class D, class T = hn::TFromD<D>>
HWY_INLINE void store_last(D d, hn::Vec<D> vector, T* at, std::size_t count) {
  if constexpr (kWhole) return hn::StoreU(vector, d, at);
#if HWY_MEM_OPS_MIGHT_FAULT
  HWY_ALIGN T lanes[hn::MaxLanes(d)];
  hn::Store(vector, d, lanes);
  std::copy_n(lanes, count, at);
#else
  hn::BlendedStore(vector, hn::FirstN(d, count), d, at);
#endif
}

/// kShape is the number of vectors in a row; 0 stands for one vector that a row of F does not fill.
template <bool kTransposed, std::size_t kRows, std::size_t kShape, class D, class T = hn::TFromD<D>>
HWY_ATTR void multiply(D d, const Block<T>& block) {
  constexpr bool kWhole = kShape > 0;
  constexpr std::size_t kVectors = kWhole ? kShape : 1;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t last_vector = kWhole ? block.columns - lanes : 0;
  const std::size_t stride = block.stride;
  const T* a = block.a;
  const T* f = block.f;
  hn::Vec<D> sums[kRows][kVectors];
  for (std::size_t i = 0; i < kRows; ++i) {
    for (std::size_t v = 0; v < kVectors; ++v) sums[i][v] = hn::Zero(d);
  }
  for (std::size_t k = 0; k < block.inner; ++k) {
    hn::Vec<D> row[kVectors];
    for (std::size_t v = 0; v + 1 < kVectors; ++v) row[v] = hn::LoadU(d, f + v * lanes);
    row[kVectors - 1] = load_last<kWhole>(d, f + last_vector, block.columns);
    for (std::size_t i = 0; i < kRows; ++i) {
      const auto entry = hn::Set(d, kTransposed ? a[i] : a[i * stride]);
      for (std::size_t v = 0; v < kVectors; ++v) sums[i][v] = hn::MulAdd(entry, row[v], sums[i][v]);
    }
    a += kTransposed ? stride : 1;
    f += block.f_stride;
  }
  for (std::size_t i = 0; i < kRows; ++i) {
    T* c = block.c + i * block.c_stride;
    if (block.add) {
      // All are read before any is written: the last two may overlap.
      for (std::size_t v = 0; v + 1 < kVectors; ++v) {
        sums[i][v] = hn::Add(hn::LoadU(d, c + v * lanes), sums[i][v]);
      }
      sums[i][kVectors - 1] =
          hn::Add(load_last<kWhole>(d, c + last_vector, block.columns), sums[i][kVectors - 1]);
    }
    for (std::size_t v = 0; v + 1 < kVectors; ++v) hn::StoreU(sums[i][v], d, c + v * lanes);
    store_last<kWhole>(d, sums[i][kVectors - 1], c + last_vector, block.columns);
  }
}

/// Asks for the share [begin, end) of `whole` of the upcoming rows, so that they arrive evenly spread.
HWY_INLINE void prefetch(const Upcoming& upcoming, std::size_t begin, std::size_t end, std::size_t whole) {
  const auto rows = static_cast<std::size_t>(upcoming.rows);
  const std::byte* row = upcoming.data + static_cast<Index>(rows * begin / whole) * upcoming.stride_bytes;
  for (std::size_t i = rows * begin / whole; i < rows * end / whole; ++i) {
    for (Index at = 0; at < upcoming.row_bytes; at += 64) __builtin_prefetch(row + at, 0, 2);
    row += upcoming.stride_bytes;
  }
}

/// All rows of C: as many at a time as the registers hold, then the rest in ever smaller groups.
template <bool kTransposed, std::size_t kRows, std::size_t kShape, class D, class T = hn::TFromD<D>>
void multiply_rows(D d, std::size_t rows, Block<T> block) {
  std::size_t done = 0;
  for (; done + kRows <= rows; done += kRows) {
    prefetch(block.upcoming, done, std::min(rows, done + kRows), rows);
    multiply<kTransposed, kRows, kShape>(d, block);
    block.a += kRows * (kTransposed ? 1 : block.stride);
    block.c += kRows * block.c_stride;
  }
  if constexpr (kRows > 1) {
    if (done < rows) multiply_rows<kTransposed, kRows / 2, kShape>(d, rows - done, block);
  }
}

template <bool kTransposed, std::size_t kVectors, class D, class T = hn::TFromD<D>>
void multiply_vectors(D d, std::size_t vectors, std::size_t rows, const Block<T>& block) {
  if constexpr (kVectors > 1) {
    if (vectors < kVectors) return multiply_vectors<kTransposed, kVectors - 1>(d, vectors, rows, block);
  }
  multiply_rows<kTransposed, most_rows(kVectors), kVectors>(d, rows, block);
}

/// Splits the columns of F evenly into panels of at most kMostVectors vectors.
template <bool kTransposed, class D, class T = hn::TFromD<D>>
void multiply_panels(D d, std::size_t rows, const Block<T>& whole) {
  const std::size_t lanes = hn::Lanes(d);
  if (whole.columns < lanes) return multiply_rows<kTransposed, most_rows(1), 0>(d, rows, whole);
  const std::size_t vectors = (whole.columns + lanes - 1) / lanes;
  const std::size_t panels = (vectors + kMostVectors - 1) / kMostVectors;
  for (std::size_t q = 0; q < panels; ++q) {
    const std::size_t first = vectors * q / panels;
    const std::size_t last = vectors * (q + 1) / panels;
    Block<T> panel = whole;
    panel.f += first * lanes;
    panel.c += first * lanes;
    if (q > 0) panel.upcoming = {};
    panel.columns = std::min(last * lanes, whole.columns) - first * lanes;
    multiply_vectors<kTransposed, kMostVectors>(d, last - first, rows, panel);
  }
}

template <class T>
void dense_cross_for_target(blas::Op op, ConstMatrixView<T> A, ConstMatrixView<T> F, MatrixView<T> C,
                            bool add, const Upcoming& upcoming) {
  const Block<T> block{.a = A.data,
                       .stride = static_cast<std::size_t>(A.stride),
                       .f = F.data,
                       .f_stride = static_cast<std::size_t>(F.stride),
                       .c = C.data,
                       .c_stride = static_cast<std::size_t>(C.stride),
                       .inner = static_cast<std::size_t>(F.rows),
                       .columns = static_cast<std::size_t>(F.cols),
                       .upcoming = upcoming,
                       .add = add};
  const auto rows = static_cast<std::size_t>(C.rows);
  const hn::ScalableTag<T> d;
  if (op == blas::Op::none) {
    multiply_panels<false>(d, rows, block);
  } else {
    multiply_panels<true>(d, rows, block);
  }
}

void dense_cross_float(blas::Op op, ConstMatrixView<float> A, ConstMatrixView<float> F, MatrixView<float> C,
                       bool add, const Upcoming& upcoming) {
  dense_cross_for_target(op, A, F, C, add, upcoming);
}

void dense_cross_double(blas::Op op, ConstMatrixView<double> A, ConstMatrixView<double> F,
                        MatrixView<double> C, bool add, const Upcoming& upcoming) {
  dense_cross_for_target(op, A, F, C, add, upcoming);
}

}  // namespace
}  // namespace anmf::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace anmf {
namespace {

HWY_EXPORT(dense_cross_float);
HWY_EXPORT(dense_cross_double);

}  // namespace

template <>
void dense_cross(blas::Op op, ConstMatrixView<float> A, ConstMatrixView<float> F, MatrixView<float> C,
                 bool add, const Upcoming& upcoming) {
  HWY_DYNAMIC_DISPATCH(dense_cross_float)(op, A, F, C, add, upcoming);
}

template <>
void dense_cross(blas::Op op, ConstMatrixView<double> A, ConstMatrixView<double> F, MatrixView<double> C,
                 bool add, const Upcoming& upcoming) {
  HWY_DYNAMIC_DISPATCH(dense_cross_double)(op, A, F, C, add, upcoming);
}

}  // namespace anmf
#endif
