// SPDX-License-Identifier: MIT
// Rows of r numbers that lie anywhere, side by side in the lanes of r vectors, and back. For files that are
// compiled once per instruction set: included behind foreach_target.h, and again for each of them.
#if defined(ANMF_KERNELS_PACK_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ANMF_KERNELS_PACK_ROWS_INL_H_
#undef ANMF_KERNELS_PACK_ROWS_INL_H_
#else
#define ANMF_KERNELS_PACK_ROWS_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>

#include "kernels/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace anmf::HWY_NAMESPACE {

/// As many rows as there are lanes, number k of all of them to `to` + k * stride. A row that is null is one
/// of zeros; with kFull there is none.
template <bool kFull, class T>
HWY_INLINE void pack_rows(const T* const* rows, std::size_t r, std::size_t stride, T* to) {
  const hn::ScalableTag<T> d;
  constexpr std::size_t kLanes = hn::MaxLanes(hn::ScalableTag<T>());
  if (r < kLanes) {
    for (std::size_t k = 0; k < r; ++k) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        to[k * stride + lane] = kFull || rows[lane] != nullptr ? rows[lane][k] : T{0};
      }
    }
    return;
  }
  for (std::size_t k = 0; k < r; k += kLanes) {
    const std::size_t first = std::min(k, r - kLanes);  // the last square may overlap the one before
    hn::Vec<hn::ScalableTag<T>> square[kLanes];
    ANMF_UNROLL for (std::size_t lane = 0; lane < kLanes; ++lane) {
      square[lane] = kFull || rows[lane] != nullptr ? hn::LoadU(d, rows[lane] + first) : hn::Zero(d);
    }
    transpose_square(square);
    ANMF_UNROLL for (std::size_t l = 0; l < kLanes; ++l) hn::Store(square[l], d, to + (first + l) * stride);
  }
}

/// The same for r of at least as many numbers as there are lanes and rows none of which is null; returns the
/// sum over k of weight(k) times vector k, while that is in a register.
template <class T, class Weight>
HWY_INLINE hn::Vec<hn::ScalableTag<T>> pack_and_add(const T* const* rows, std::size_t r, std::size_t stride,
                                                    T* to, const Weight& weight) {
  const hn::ScalableTag<T> d;
  constexpr std::size_t kLanes = hn::MaxLanes(hn::ScalableTag<T>());
  auto sum = hn::Zero(d);
  for (std::size_t k = 0; k < r; k += kLanes) {
    const std::size_t first = std::min(k, r - kLanes);
    hn::Vec<hn::ScalableTag<T>> square[kLanes];
    ANMF_UNROLL for (std::size_t lane = 0; lane < kLanes; ++lane) square[lane] =
        hn::LoadU(d, rows[lane] + first);
    transpose_square(square);
    ANMF_UNROLL for (std::size_t l = 0; l < kLanes; ++l) {
      hn::Store(square[l], d, to + (first + l) * stride);
      if (first + l >= k) sum = hn::MulAdd(weight(first + l), square[l], sum);
    }
  }
  return sum;
}

/// The first `count` lanes of r vectors, `stride` numbers from one to the next, back to their rows.
template <class T>
HWY_INLINE void unpack_rows(const T* from, std::size_t r, std::size_t stride, T* const* rows,
                            std::size_t count) {
  const hn::ScalableTag<T> d;
  constexpr std::size_t kLanes = hn::MaxLanes(hn::ScalableTag<T>());
  if (count < kLanes || r < kLanes) {
    for (std::size_t lane = 0; lane < count; ++lane) {
      for (std::size_t k = 0; k < r; ++k) rows[lane][k] = from[k * stride + lane];
    }
    return;
  }
  for (std::size_t k = 0; k < r; k += kLanes) {
    const std::size_t first = std::min(k, r - kLanes);
    hn::Vec<hn::ScalableTag<T>> square[kLanes];
    ANMF_UNROLL for (std::size_t l = 0; l < kLanes; ++l) square[l] = hn::Load(d, from + (first + l) * stride);
    transpose_square(square);
    ANMF_UNROLL for (std::size_t lane = 0; lane < kLanes; ++lane) {
      hn::StoreU(square[lane], d, rows[lane] + first);
    }
  }
}

}  // namespace anmf::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
