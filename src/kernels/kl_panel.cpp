// SPDX-License-Identifier: MIT
#include "kernels/kl_panel.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/kl_panel.cpp"
#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
#include <hwy/foreach_target.h>
// Behind foreach_target.h, as Highway wants it.
#include <hwy/highway.h>

#include "kernels/kl_line-inl.h"
#include "kernels/kl_panel-inl.h"

HWY_BEFORE_NAMESPACE();
namespace anmf::HWY_NAMESPACE {
namespace {

// Vectors of rows side by side where there are that many: what a coordinate waits for is shared by all.
constexpr std::size_t kWideVectors = 4;

template <std::size_t kVectors, class T>
HWY_INLINE std::size_t sweep_rows(const KlSweeps<T>& sweeps, KlRow<T>* rows, std::size_t count,
                                  const KlScratch<T>& scratch) {
  std::size_t longest = 0;
  for (std::size_t i = 0; i < count; ++i) longest = std::max(longest, rows[i].count);
  KlPanel<kVectors, T> panel(sweeps, rows, count, longest, scratch);
  Index moved[KlPanel<kVectors, T>::kWidth] = {};
  panel.gather();
  panel.sweep(moved);
  panel.scatter();
  for (std::size_t i = 0; i < count; ++i) rows[i].sweeps = moved[i];
  return longest * kVectors;
}

template <class T>
HWY_ATTR std::size_t kl_rows(const KlSweeps<T>& sweeps, KlRow<T>* rows, std::size_t count,
                             const KlScratch<T>& scratch) {
  const std::size_t lanes = hn::Lanes(hn::ScalableTag<T>());
  if (count <= lanes) return sweep_rows<1>(sweeps, rows, count, scratch);
  return sweep_rows<kWideVectors>(sweeps, rows, count, scratch);
}

template <class T>
HWY_ATTR std::size_t kl_row(const KlSweeps<T>& sweeps, KlRow<T>& row, const KlScratch<T>& scratch) {
  KlLine<T> line(sweeps, row, scratch);
  line.gather();
  row.sweeps = line.sweep();
  line.scatter();
  const std::size_t lanes = hn::Lanes(hn::ScalableTag<T>());
  return (row.count + lanes - 1) / lanes;
}

template <class T>
KlKernels<T> kl_table() {
  const std::size_t lanes = hn::Lanes(hn::ScalableTag<T>());
  return {.lanes = lanes, .wide = kWideVectors * lanes, .rows = kl_rows<T>, .row = kl_row<T>};
}

KlKernels<float> float_kl() { return kl_table<float>(); }
KlKernels<double> double_kl() { return kl_table<double>(); }

}  // namespace
}  // namespace anmf::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace anmf {

HWY_EXPORT(float_kl);
HWY_EXPORT(double_kl);

template <>
KlKernels<float> find_kl_kernels<float>() {
  return HWY_DYNAMIC_DISPATCH(float_kl)();
}

template <>
KlKernels<double> find_kl_kernels<double>() {
  return HWY_DYNAMIC_DISPATCH(double_kl)();
}

template <class T>
const KlKernels<T>& kl_kernels() {
  static const KlKernels<T> kernels = find_kl_kernels<T>();
  return kernels;
}

template const KlKernels<float>& kl_kernels();
template const KlKernels<double>& kl_kernels();

}  // namespace anmf
#endif
