// SPDX-License-Identifier: MIT
// Squares of as many vectors as a vector has lanes, transposed in registers. For files that are compiled once
// per instruction set: included behind foreach_target.h, and again for each of them.
#if defined(ANMF_KERNELS_TRANSPOSE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ANMF_KERNELS_TRANSPOSE_INL_H_
#undef ANMF_KERNELS_TRANSPOSE_INL_H_
#else
#define ANMF_KERNELS_TRANSPOSE_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>

// Arrays of vectors stay in registers only if every loop over them is unrolled.
#undef ANMF_UNROLL
#define ANMF_UNROLL _Pragma("GCC unroll 16")

HWY_BEFORE_NAMESPACE();
namespace anmf::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR
template <class V>
HWY_INLINE void transpose_square(V*) {}  // of one lane
#else

/// Transposes the 16-byte blocks of n vectors, n = blocks per vector: a loop over pairs for each halving.
template <class T, class V>
HWY_INLINE void transpose_blocks(V* x, std::size_t step) {
  const hn::ScalableTag<T> d;
  constexpr std::size_t kBlocks = hn::MaxLanes(hn::ScalableTag<T>()) * sizeof(T) / 16;
  static_assert(kBlocks == 1 || kBlocks == 2 || kBlocks == 4);
  if constexpr (kBlocks == 2) {
    const auto a = x[0];
    const auto b = x[step];
    x[0] = hn::ConcatLowerLower(d, b, a);
    x[step] = hn::ConcatUpperUpper(d, b, a);
  } else if constexpr (kBlocks == 4) {
    ANMF_UNROLL for (std::size_t i = 0; i < 4; i += 2) {
      const auto a = x[i * step];
      const auto b = x[(i + 1) * step];
      x[i * step] = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(b), a);
      x[(i + 1) * step] = hn::OddEvenBlocks(b, hn::SwapAdjacentBlocks(a));
    }
    ANMF_UNROLL for (std::size_t i = 0; i < 2; ++i) {
      const auto a = x[i * step];
      const auto b = x[(i + 2) * step];
      x[i * step] = hn::ConcatLowerLower(d, b, a);
      x[(i + 2) * step] = hn::ConcatUpperUpper(d, b, a);
    }
  }
}

/// Transposes the square of as many vectors as a vector has lanes.
HWY_INLINE void transpose_square(hn::Vec<hn::ScalableTag<double> >* x) {
  const hn::ScalableTag<double> d;
  constexpr std::size_t kLanes = hn::MaxLanes(hn::ScalableTag<double>());
  ANMF_UNROLL for (std::size_t i = 0; i < kLanes; i += 2) {
    const auto a = x[i];
    const auto b = x[i + 1];
    x[i] = hn::InterleaveLower(d, a, b);
    x[i + 1] = hn::InterleaveUpper(d, a, b);
  }
  ANMF_UNROLL for (std::size_t i = 0; i < 2; ++i) transpose_blocks<double>(x + i, 2);
}

HWY_INLINE void transpose_square(hn::Vec<hn::ScalableTag<float> >* x) {
  const hn::ScalableTag<float> d;
  const hn::ScalableTag<double> dd;
  constexpr std::size_t kLanes = hn::MaxLanes(hn::ScalableTag<float>());
  ANMF_UNROLL for (std::size_t i = 0; i < kLanes; i += 4) {
    const auto ab_low = hn::BitCast(dd, hn::InterleaveLower(d, x[i], x[i + 1]));
    const auto ab_high = hn::BitCast(dd, hn::InterleaveUpper(d, x[i], x[i + 1]));
    const auto cd_low = hn::BitCast(dd, hn::InterleaveLower(d, x[i + 2], x[i + 3]));
    const auto cd_high = hn::BitCast(dd, hn::InterleaveUpper(d, x[i + 2], x[i + 3]));
    x[i] = hn::BitCast(d, hn::InterleaveLower(dd, ab_low, cd_low));
    x[i + 1] = hn::BitCast(d, hn::InterleaveUpper(dd, ab_low, cd_low));
    x[i + 2] = hn::BitCast(d, hn::InterleaveLower(dd, ab_high, cd_high));
    x[i + 3] = hn::BitCast(d, hn::InterleaveUpper(dd, ab_high, cd_high));
  }
  ANMF_UNROLL for (std::size_t i = 0; i < 4; ++i) transpose_blocks<float>(x + i, 4);
}

#endif

}  // namespace anmf::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
