// SPDX-License-Identifier: MIT
#include "kernels/divergence.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/divergence.cpp"
#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
#include <hwy/foreach_target.h>
// Behind foreach_target.h, as Highway wants it.
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include "kernels/reciprocal-inl.h"

HWY_BEFORE_NAMESPACE();
namespace anmf::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

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

template <Power kPower, class T>
HWY_ATTR void ratios_of(double beta, std::size_t n, T floor, const T* x, const T* y, T* above, T* below) {
  const auto exponent = hn::Set(Tag<T>(), static_cast<T>(beta - 2));
  const auto least = hn::Set(Tag<T>(), beta < 2 ? floor : T{0});
  for_each_vector<T>(n, [&](auto place) HWY_ATTR {
    const auto model = place.load(y, T{1});
    const auto raised = hn::Max(model, least);
    const auto p = power<kPower, T>(raised, exponent);
    const auto entry = place.load(x, T{0});
    if (below != nullptr) {
      const auto own = beta < 1 ? p : power<kPower, T>(model, exponent);
      place.store(hn::Mul(beta < 1 ? raised : model, own), below);
    }
    place.store(hn::Mul(entry, p), above);
  });
}

template <class T>
void ratios(double beta, std::size_t n, T floor, const T* x, const T* y, T* above, T* below) {
  with_power(beta, [&]<Power kPower>() { ratios_of<kPower, T>(beta, n, floor, x, y, above, below); });
}

template <Power kPower, class T>
HWY_ATTR ModelSums model_of(double beta, std::size_t n, const T* x, const T* y, const T* u, T* s, T* v,
                            T* total, const T* weights) {
  const Tag<T> d;
  const auto exponent = hn::Set(d, static_cast<T>(beta - 2));
  // v = constant y^(b-2) + slope x y^(b-3)
  const auto of_model = hn::Set(d, static_cast<T>(beta >= 1 ? beta - 1 : 0));
  const auto of_entry = hn::Set(d, static_cast<T>(beta <= 2 ? 2 - beta : 0));
  const auto one = hn::Set(d, T{1});
  auto curvature = hn::Zero(d);
  auto shared = hn::Zero(d);
  for_each_vector<T>(n, [&](auto place) HWY_ATTR {
    const auto model = place.load(y, T{1});
    const auto entry = place.load(x, T{0});
    const auto plain = power<kPower, T>(model, exponent);
    const auto inverse = kPower == Power::kullback_leibler ? plain : hn::Div(one, model);
    const auto p = weights == nullptr ? plain : hn::Mul(plain, place.load(weights, T{0}));
    const auto bent = hn::Mul(p, hn::MulAdd(of_entry, hn::Mul(entry, inverse), of_model));
    const auto square = hn::Mul(model, model);
    curvature = hn::Add(curvature, place.inside(hn::Mul(bent, square)));
    if (u != nullptr) shared = hn::MulAdd(place.load(u, T{0}), square, shared);
    if (v != nullptr) place.store(bent, v);
    if (total != nullptr) place.store(hn::MulAdd(bent, square, place.load(total, T{0})), total);
    if (s != nullptr) place.store(hn::Mul(hn::Sub(model, entry), p), s);
  });
  return {.curvature = sum_of<T>(curvature), .shared = sum_of<T>(shared)};
}

template <class T>
ModelSums model(double beta, std::size_t n, const T* x, const T* y, const T* u, T* s, T* v, T* total,
                const T* weights) {
  return with_power(
      beta, [&]<Power kPower>() { return model_of<kPower, T>(beta, n, x, y, u, s, v, total, weights); });
}

template <class T>
HWY_ATTR void raise(std::size_t n, T least, T* y) {
  const auto bound = hn::Set(Tag<T>(), least);
  for_each_vector<T>(n, [&](auto place) HWY_ATTR { place.store(hn::Max(place.load(y, T{0}), bound), y); });
}

template <class T>
HWY_ATTR void add_squares(std::size_t n, T a, const T* y, T* total) {
  const auto weight = hn::Set(Tag<T>(), a);
  for_each_vector<T>(n, [&](auto place) HWY_ATTR {
    const auto model = place.load(y, T{0});
    place.store(hn::MulAdd(hn::Mul(weight, model), model, place.load(total, T{0})), total);
  });
}

/// y + t dy, kept above a tiny multiple of y.
template <class T>
HWY_INLINE Vec<T> along(Vec<T> y, Vec<T> dy, Vec<T> t) {
  return hn::Max(hn::MulAdd(t, dy, y), hn::Mul(y, hn::Set(Tag<T>(), static_cast<T>(kLeastOfModel))));
}

template <Power kPower, class T>
HWY_ATTR double slope_of(double beta, std::size_t n, const T* x, const T* y, const T* dy, T t,
                         const T* weights) {
  const Tag<T> d;
  const auto exponent = hn::Set(d, static_cast<T>(beta - 2));
  const auto step = hn::Set(d, t);
  auto sum = hn::Zero(d);
  for_each_vector<T>(n, [&](auto place) HWY_ATTR {
    const auto before = place.load(y, T{1});
    const auto change = place.load(dy, T{0});
    const auto entry = place.load(x, T{0});
    const auto z = along<T>(before, change, step);
    const auto p = power<kPower, T>(z, exponent);
    auto sigma = hn::Mul(hn::Sub(z, entry), p);
    if (beta < 1) {  // y^(b-1) is that of the start
      const auto p0 = power<kPower, T>(before, exponent);
      sigma = hn::NegMulAdd(entry, p, hn::Mul(before, p0));
    } else if (beta > 2) {  // the term of x is
      const auto p0 = power<kPower, T>(before, exponent);
      sigma = hn::NegMulAdd(entry, p0, hn::Mul(z, p));
    }
    if (weights != nullptr) sigma = hn::Mul(sigma, place.load(weights, T{0}));
    sum = hn::MulAdd(change, sigma, sum);
  });
  return sum_of<T>(sum);
}

template <class T>
double slope(double beta, std::size_t n, const T* x, const T* y, const T* dy, T t, const T* weights) {
  return with_power(beta, [&]<Power kPower>() { return slope_of<kPower, T>(beta, n, x, y, dy, t, weights); });
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

template <Power kPower, class T>
HWY_ATTR double value_of(double beta, std::size_t n, const T* x, const T* y, const T* dy, T t,
                         const T* weights) {
  const Tag<T> d;
  const auto step = hn::Set(d, t);
  auto sum = hn::Zero(d);
  for_each_vector<T>(n, [&](auto place) HWY_ATTR {
    auto model = place.load(y, T{1});
    if (dy != nullptr) model = along<T>(model, place.load(dy, T{0}), step);
    auto term = place.inside(divergence_of<kPower, T>(place.load(x, T{1}), model, beta));
    if (weights != nullptr) term = hn::Mul(term, place.load(weights, T{0}));
    sum = hn::Add(sum, term);
  });
  return sum_of<T>(sum);
}

template <class T>
double value(double beta, std::size_t n, const T* x, const T* y, const T* dy, T t, const T* weights) {
  return with_power(beta, [&]<Power kPower>() { return value_of<kPower, T>(beta, n, x, y, dy, t, weights); });
}

template <class T>
DivergenceKernels<T> divergence_table() {
  return {.ratios = ratios<T>,
          .model = model<T>,
          .raise = raise<T>,
          .add_squares = add_squares<T>,
          .slope = slope<T>,
          .value = value<T>};
}

DivergenceKernels<float> float_divergence() { return divergence_table<float>(); }
DivergenceKernels<double> double_divergence() { return divergence_table<double>(); }

}  // namespace
}  // namespace anmf::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace anmf {

HWY_EXPORT(float_divergence);
HWY_EXPORT(double_divergence);

template <>
DivergenceKernels<float> find_divergence_kernels<float>() {
  return HWY_DYNAMIC_DISPATCH(float_divergence)();
}

template <>
DivergenceKernels<double> find_divergence_kernels<double>() {
  return HWY_DYNAMIC_DISPATCH(double_divergence)();
}

template <class T>
const DivergenceKernels<T>& divergence_kernels() {
  static const DivergenceKernels<T> kernels = find_divergence_kernels<T>();
  return kernels;
}

template const DivergenceKernels<float>& divergence_kernels();
template const DivergenceKernels<double>& divergence_kernels();

}  // namespace anmf
#endif
