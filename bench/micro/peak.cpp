// SPDX-License-Identifier: MIT
// A loop of nothing but multiply-adds, compiled for the same instruction sets as the kernels that it is the
// measure of.
#include "peak.h"

#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "peak.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep: includes this file again for every instruction set
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace anmf::bench::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// Two or four multiply-adds begin in a cycle and each takes four or five, so that 8 to 20 must be under way.
// Two more registers hold what is multiplied.
#if HWY_TARGET <= HWY_AVX3 || HWY_ARCH_ARM_A64
constexpr std::size_t kChains = 24;  // of 32 registers
#else
constexpr std::size_t kChains = 12;  // of 16
#endif

#undef ANMF_UNROLL
#define ANMF_UNROLL _Pragma("GCC unroll 24")

template <class T>
double run(Index steps, double& sum) {
  const hn::ScalableTag<T> d;
  using Vec = hn::Vec<decltype(d)>;
  // Read from where the compiler cannot see, so that it neither computes ahead nor takes two chains for one.
  volatile T numbers[kChains + 2];
  for (std::size_t k = 0; k < kChains + 2; ++k)
    numbers[k] = static_cast<T>(0.5 + 0.01 * static_cast<double>(k));
  const Vec a = hn::Set(d, numbers[kChains]);
  const Vec b = hn::Set(d, numbers[kChains + 1]);
  Vec acc[kChains];
  ANMF_UNROLL
  for (std::size_t k = 0; k < kChains; ++k) acc[k] = hn::Set(d, numbers[k]);
  for (Index step = 0; step < steps; ++step) {
    ANMF_UNROLL
    for (std::size_t k = 0; k < kChains; ++k) {
#if HWY_NATIVE_FMA
      acc[k] = hn::MulAdd(a, b, acc[k]);
#else
      acc[k] = hn::MulAdd(acc[k], a, b);  // a * b would be multiplied once for all; this tends to b / (1 - a)
#endif
    }
  }
  ANMF_UNROLL
  for (std::size_t k = 1; k < kChains; ++k) acc[0] = hn::Add(acc[0], acc[k]);
  sum = static_cast<double>(hn::GetLane(hn::SumOfLanes(d, acc[0])));
  return 2.0 * static_cast<double>(steps) * static_cast<double>(kChains * hn::Lanes(d));
}

double run_float(Index steps, double& sum) { return run<float>(steps, sum); }
double run_double(Index steps, double& sum) { return run<double>(steps, sum); }

}  // namespace
}  // namespace anmf::bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace anmf::bench {

HWY_EXPORT(run_float);
HWY_EXPORT(run_double);

template <>
double multiply_adds<float>(Index steps, double& sum) {
  return HWY_DYNAMIC_DISPATCH(run_float)(steps, sum);
}

template <>
double multiply_adds<double>(Index steps, double& sum) {
  return HWY_DYNAMIC_DISPATCH(run_double)(steps, sum);
}

}  // namespace anmf::bench
#endif
