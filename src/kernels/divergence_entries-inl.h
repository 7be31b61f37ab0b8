// SPDX-License-Identifier: MIT
// Vectors of entries x and models y: how they are loaded and summed, powers of models, and the divergence of
// each entry. For files that are compiled once per instruction set: included behind foreach_target.h, and
// again for each.
#if defined(ANMF_KERNELS_DIVERGENCE_ENTRIES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ANMF_KERNELS_DIVERGENCE_ENTRIES_INL_H_
#undef ANMF_KERNELS_DIVERGENCE_ENTRIES_INL_H_
#else
#define ANMF_KERNELS_DIVERGENCE_ENTRIES_INL_H_
#endif

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>

#include "kernels/reciprocal-inl.h"

HWY_BEFORE_NAMESPACE();
namespace anmf::HWY_NAMESPACE {

template <class T>
using Tag = hn::ScalableTag<T>;
template <class T>
using Vec = hn::Vec<Tag<T>>;

/// Entries [at, at + count) of arrays: a whole vector, or the rest of them.
template <class T, bool kWhole>
struct Place {
  std::size_t at;
  std::size_t count;

  /// Lanes beyond the rest are filled with one value.
  HWY_INLINE Vec<T> load(const T* array, T filler) const {
    const Tag<T> d;
    if constexpr (kWhole) return hn::LoadU(d, array + at);
#if HWY_TARGET <= HWY_AVX2 && HWY_ARCH_X86  // where masked loads touch nothing else
    const auto some = hn::FirstN(d, count);
    return hn::IfThenElse(some, hn::MaskedLoad(some, d, array + at), hn::Set(d, filler));
#endif
    HWY_ALIGN T lanes[hn::MaxLanes(d)];
    for (std::size_t lane = 0; lane < hn::Lanes(d); ++lane)
      lanes[lane] = lane < count ? array[at + lane] : filler;
    return hn::Load(d, lanes);
  }
  HWY_INLINE void store(Vec<T> vector, T* array) const {
    const Tag<T> d;
    if constexpr (kWhole) return hn::StoreU(vector, d, array + at);
#if HWY_TARGET <= HWY_AVX2 && HWY_ARCH_X86
    return hn::BlendedStore(vector, hn::FirstN(d, count), d, array + at);
#endif
    HWY_ALIGN T lanes[hn::MaxLanes(d)];
    hn::Store(vector, d, lanes);
    std::copy_n(lanes, count, array + at);
  }
  /// What is summed: nothing beyond the rest.
  HWY_INLINE Vec<T> inside(Vec<T> vector) const {
    if constexpr (kWhole) return vector;
    return hn::IfThenElseZero(hn::FirstN(Tag<T>(), count), vector);
  }
};

template <class T, class Body>
HWY_INLINE void for_each_vector(std::size_t n, const Body& body) {
  const std::size_t lanes = hn::Lanes(Tag<T>());
  std::size_t at = 0;
  for (; at + lanes <= n; at += lanes) body(Place<T, true>{at, lanes});
  if (at < n) body(Place<T, false>{at, n - at});
}

template <class T>
HWY_INLINE double sum_of(Vec<T> lanes) {
  return static_cast<double>(hn::GetLane(hn::SumOfLanes(Tag<T>(), lanes)));
}

// Which beta, as far as it decides how y^(b-2) is made.
enum class Power { general, itakura_saito, half, kullback_leibler, three_halves, least_squares };

/// y^(b-2).
template <Power kPower, class T>
HWY_INLINE Vec<T> power(Vec<T> y, Vec<T> exponent) {
  const Tag<T> d;
  const auto one = hn::Set(d, T{1});
  if constexpr (kPower == Power::itakura_saito) {
    const auto inverse = hn::Div(one, y);
    return hn::Mul(inverse, inverse);
  } else if constexpr (kPower == Power::half) {
    return hn::Div(one, hn::Mul(y, hn::Sqrt(y)));
  } else if constexpr (kPower == Power::kullback_leibler) {
    return reciprocal<4>(y);
  } else if constexpr (kPower == Power::three_halves) {
    return hn::Div(one, hn::Sqrt(y));
  } else if constexpr (kPower == Power::least_squares) {
    return one;
  } else {
    return hn::Exp(d, hn::Mul(exponent, hn::Log(d, y)));
  }
}

/// Calls body.template operator()<Power>() for this beta.
template <class Body>
auto with_power(double beta, const Body& body) {
  if (beta == 0) return body.template operator()<Power::itakura_saito>();
  if (beta == 0.5) return body.template operator()<Power::half>();
  if (beta == 1) return body.template operator()<Power::kullback_leibler>();
  if (beta == 1.5) return body.template operator()<Power::three_halves>();
  if (beta == 2) return body.template operator()<Power::least_squares>();
  return body.template operator()<Power::general>();
}

/// e - log(1 + e), without cancellation where e is small; e > -1.
template <class T>
HWY_INLINE Vec<T> beyond_log(Vec<T> e) {
  const Tag<T> d;
  const auto c = [&](double number) HWY_ATTR { return hn::Set(d, static_cast<T>(number)); };
  const auto square = hn::Mul(e, e);
  auto series = hn::MulAdd(e, c(-0.2), c(0.25));
  series = hn::MulAdd(e, series, c(-1.0 / 3));
  series = hn::MulAdd(e, series, c(0.5));
  const auto direct = hn::Sub(e, hn::Log(d, hn::Add(e, c(1))));
  const auto near = hn::Lt(hn::Abs(e), c(sizeof(T) == 4 ? 0.03 : 1e-3));
  return hn::IfThenElse(near, hn::Mul(square, series), direct);
}

/// (t^b - 1 - b (t - 1)) / (b (b - 1)) for t = 1 + e, with its first terms where e is small.
template <class T>
HWY_INLINE Vec<T> beyond_power(Vec<T> e, Vec<T> t_to_b, double beta) {
  const Tag<T> d;
  const auto c = [&](double number) HWY_ATTR { return hn::Set(d, static_cast<T>(number)); };
  auto series = hn::MulAdd(e, c((beta - 2) * (beta - 3) * (beta - 4) / 120), c((beta - 2) * (beta - 3) / 24));
  series = hn::MulAdd(e, series, c((beta - 2) / 6));
  series = hn::MulAdd(e, series, c(0.5));
  const auto direct =
      hn::Mul(hn::Sub(hn::Sub(t_to_b, c(1)), hn::Mul(e, c(beta))), c(1 / (beta * (beta - 1))));
  const auto near = hn::Lt(hn::Abs(e), c(sizeof(T) == 4 ? 0.03 : 1e-3));
  return hn::IfThenElse(near, hn::Mul(hn::Mul(e, e), series), direct);
}

template <Power kPower, class T>
HWY_INLINE Vec<T> divergence_of(Vec<T> x, Vec<T> y, double beta) {
  const Tag<T> d;
  const auto zero = hn::Zero(d);
  if constexpr (kPower == Power::least_squares) {
    const auto difference = hn::Sub(x, y);
    return hn::Mul(hn::Set(d, T{0.5}), hn::Mul(difference, difference));
  } else if constexpr (kPower == Power::kullback_leibler) {
    const auto empty = hn::Eq(x, zero);
    const auto safe = hn::IfThenElse(empty, y, x);
    const auto of_entry = hn::Mul(safe, beyond_log<T>(hn::Div(hn::Sub(y, safe), safe)));
    return hn::IfThenElse(empty, y, of_entry);
  } else if constexpr (kPower == Power::itakura_saito) {
    return beyond_log<T>(hn::Div(hn::Sub(x, y), y));
  } else {
    const auto b = hn::Set(d, static_cast<T>(beta));
    const auto e = hn::Div(hn::Sub(x, y), y);
    const auto t = hn::Div(x, y);
    const auto empty = hn::Eq(x, zero);
    const auto log_t = hn::Log(d, hn::IfThenElse(empty, hn::Set(d, T{1}), t));
    const auto t_to_b = hn::IfThenElse(empty, zero, hn::Exp(d, hn::Mul(b, log_t)));
    const auto y_to_b = hn::Exp(d, hn::Mul(b, hn::Log(d, y)));
    return hn::Mul(y_to_b, beyond_power<T>(e, t_to_b, beta));
  }
}

}  // namespace anmf::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
