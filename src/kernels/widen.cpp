// SPDX-License-Identifier: MIT
#include "kernels/widen.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/widen.cpp"
#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
#include <hwy/foreach_target.h>
// Behind foreach_target.h, as Highway wants it.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace anmf::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <class D, class S>
HWY_ATTR hn::Vec<D> load_widened(D d, const S* from) {
  const hn::Rebind<S, D> narrow;
  const hn::Rebind<std::int32_t, D> whole;
  if constexpr (std::is_same_v<S, float>) {
    return hn::PromoteTo(d, hn::LoadU(narrow, from));
  } else if constexpr (sizeof(hn::TFromD<D>) == sizeof(float)) {
    return hn::ConvertTo(d, hn::PromoteTo(whole, hn::LoadU(narrow, from)));
  } else {
    return hn::PromoteTo(d, hn::PromoteTo(whole, hn::LoadU(narrow, from)));
  }
}

template <class S, class T>
HWY_ATTR void widen_rows(ConstMatrixView<S> from, MatrixView<T> to) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  for (Index i = 0; i < from.rows; ++i) {
    const S* in = from.row(i);
    T* out = to.row(i);
    Index j = 0;
    for (; j + lanes <= from.cols; j += lanes) hn::StoreU(load_widened(d, in + j), d, out + j);
    for (; j < from.cols; ++j) out[j] = static_cast<T>(in[j]);
  }
}

void widen_uint8_float(ConstMatrixView<std::uint8_t> from, MatrixView<float> to) { widen_rows(from, to); }
void widen_uint8_double(ConstMatrixView<std::uint8_t> from, MatrixView<double> to) { widen_rows(from, to); }
void widen_uint16_float(ConstMatrixView<std::uint16_t> from, MatrixView<float> to) { widen_rows(from, to); }
void widen_uint16_double(ConstMatrixView<std::uint16_t> from, MatrixView<double> to) { widen_rows(from, to); }
void widen_float_double(ConstMatrixView<float> from, MatrixView<double> to) { widen_rows(from, to); }

}  // namespace
}  // namespace anmf::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace anmf {
namespace {

HWY_EXPORT(widen_uint8_float);
HWY_EXPORT(widen_uint8_double);
HWY_EXPORT(widen_uint16_float);
HWY_EXPORT(widen_uint16_double);
HWY_EXPORT(widen_float_double);

template <class T>
void copy_rows(ConstMatrixView<T> from, MatrixView<T> to) {
  for (Index i = 0; i < from.rows; ++i) std::copy_n(from.row(i), from.cols, to.row(i));
}

}  // namespace

template <>
void widen(ConstMatrixView<float> from, MatrixView<float> to) {
  copy_rows(from, to);
}

template <>
void widen(ConstMatrixView<double> from, MatrixView<double> to) {
  copy_rows(from, to);
}

template <>
void widen(ConstMatrixView<std::uint8_t> from, MatrixView<float> to) {
  HWY_DYNAMIC_DISPATCH(widen_uint8_float)(from, to);
}

template <>
void widen(ConstMatrixView<std::uint8_t> from, MatrixView<double> to) {
  HWY_DYNAMIC_DISPATCH(widen_uint8_double)(from, to);
}

template <>
void widen(ConstMatrixView<std::uint16_t> from, MatrixView<float> to) {
  HWY_DYNAMIC_DISPATCH(widen_uint16_float)(from, to);
}

template <>
void widen(ConstMatrixView<std::uint16_t> from, MatrixView<double> to) {
  HWY_DYNAMIC_DISPATCH(widen_uint16_double)(from, to);
}

template <>
void widen(ConstMatrixView<float> from, MatrixView<double> to) {
  HWY_DYNAMIC_DISPATCH(widen_float_double)(from, to);
}

}  // namespace anmf
#endif
