// SPDX-License-Identifier: MIT
// 1 / y from an estimate, where a division would take longer than all else in a loop. For files that are
// compiled once per instruction set: included behind foreach_target.h, and again for each of them.
#if defined(ANMF_KERNELS_RECIPROCAL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ANMF_KERNELS_RECIPROCAL_INL_H_
#undef ANMF_KERNELS_RECIPROCAL_INL_H_
#else
#define ANMF_KERNELS_RECIPROCAL_INL_H_
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace anmf::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// For y whose inverse is in range: of doubles to 3e-13 of itself with three terms, and to a unit in the
/// last place with four.
template <int kTerms, class V>
HWY_INLINE V reciprocal(V y) {
  const hn::DFromV<V> d;
  using T = hn::TFromD<hn::DFromV<V>>;
  const auto one = hn::Set(d, T{1});
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
  static_assert(kTerms == 3 || kTerms == 4);
  // An estimate z is off by e = 1 - y z, at most 2^-14, and 1 / y = z (1 + e + e^2 + ...).
  if constexpr (sizeof(T) == 4) {
    const V z = hn::ApproximateReciprocal(y);
    return hn::MulAdd(z, hn::NegMulAdd(y, z, one), z);
  } else {
    const V z{_mm512_rcp14_pd(y.raw)};
    const V e = hn::NegMulAdd(y, z, one);
    if constexpr (kTerms == 3) return hn::MulAdd(z, hn::MulAdd(e, e, e), z);
    const V more = hn::MulAdd(z, e, z);
    return hn::MulAdd(more, hn::Mul(e, e), more);
  }
#else
  return hn::Div(one, y);
#endif
}

}  // namespace anmf::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
