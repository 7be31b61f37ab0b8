// SPDX-License-Identifier: MIT
#include "kernels/divergence.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/divergence.cpp"
#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
#include <hwy/foreach_target.h>
// Behind foreach_target.h, as Highway wants it.
#include <hwy/highway.h>

#include "kernels/divergence_entries-inl.h"

HWY_BEFORE_NAMESPACE();
namespace anmf::HWY_NAMESPACE {
namespace {

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

/// p = y^(b-2) and v = constant y^(b-2) + slope x y^(b-3).
template <Power kPower, class T>
struct LocalModel {
  Vec<T> exponent;
  Vec<T> of_model;
  Vec<T> of_entry;

  explicit HWY_ATTR LocalModel(double beta)
      : exponent(hn::Set(Tag<T>(), static_cast<T>(beta - 2))),
        of_model(hn::Set(Tag<T>(), static_cast<T>(beta >= 1 ? beta - 1 : 0))),
        of_entry(hn::Set(Tag<T>(), static_cast<T>(beta <= 2 ? 2 - beta : 0))) {}

  HWY_INLINE Vec<T> at(Vec<T> x, Vec<T> y, Vec<T>& p) const {
    p = power<kPower, T>(y, exponent);
    if constexpr (kPower == Power::kullback_leibler) return hn::Mul(p, hn::Mul(x, p));
    return hn::Mul(p, hn::MulAdd(of_entry, hn::Mul(x, hn::Div(hn::Set(Tag<T>(), T{1}), y)), of_model));
  }
};

template <Power kPower, class T>
HWY_ATTR void model_of(double beta, std::size_t n, const T* x, const T* y, T* s, T* v, const T* weights) {
  const LocalModel<kPower, T> local(beta);
  for_each_vector<T>(n, [&](auto place) HWY_ATTR {
    const auto model = place.load(y, T{1});
    const auto entry = place.load(x, T{0});
    auto p = model;
    auto bent = local.at(entry, model, p);
    if (weights != nullptr) {
      const auto weight = place.load(weights, T{0});
      bent = hn::Mul(bent, weight);
      p = hn::Mul(p, weight);
    }
    if (v != nullptr) place.store(bent, v);
    if (s != nullptr) place.store(hn::Mul(hn::Sub(model, entry), p), s);
  });
}

template <class T>
void model(double beta, std::size_t n, const T* x, const T* y, T* s, T* v, const T* weights) {
  with_power(beta, [&]<Power kPower>() { model_of<kPower, T>(beta, n, x, y, s, v, weights); });
}

template <Power kPower, class T>
HWY_ATTR void models_of(double beta, const EntryTile<T>& tile, T least, T* y, const T* u, T* s,
                        ModelSums* sums, T* total) {
  const Tag<T> d;
  const LocalModel<kPower, T> local(beta);
  const auto bound = hn::Set(d, least);
  for (std::size_t i = 0; i < tile.rows; ++i) {
    const T* const x_row = tile.x + i * tile.x_stride;
    T* const y_row = y + i * tile.stride;
    T* const s_row = s + i * tile.stride;
    const T* const weights = tile.weights == nullptr ? nullptr : tile.weights + i * tile.stride;
    auto curvature = hn::Zero(d);
    auto shared = hn::Zero(d);
    for_each_vector<T>(tile.n, [&](auto place) HWY_ATTR {
      const auto model = hn::Max(place.load(y_row, T{1}), bound);
      const auto entry = place.load(x_row, T{0});
      auto p = model;
      auto bent = local.at(entry, model, p);
      if (weights != nullptr) {
        const auto weight = place.load(weights, T{0});
        bent = hn::Mul(bent, weight);
        p = hn::Mul(p, weight);
      }
      const auto square = hn::Mul(model, model);
      const auto pull = place.inside(hn::Mul(bent, square));
      curvature = hn::Add(curvature, pull);
      shared = hn::MulAdd(place.load(u, T{0}), square, shared);
      place.store(hn::Add(pull, place.load(total, T{0})), total);
      place.store(model, y_row);
      place.store(hn::Mul(hn::Sub(model, entry), p), s_row);
    });
    sums[i].curvature += sum_of<T>(curvature);
    sums[i].shared += sum_of<T>(shared);
  }
}

template <class T>
void models(double beta, const EntryTile<T>& tile, T least, T* y, const T* u, T* s, ModelSums* sums,
            T* total) {
  with_power(beta, [&]<Power kPower>() { models_of<kPower, T>(beta, tile, least, y, u, s, sums, total); });
}

template <class T>
HWY_ATTR void raise(std::size_t n, T least, T* y) {
  const auto bound = hn::Set(Tag<T>(), least);
  for_each_vector<T>(n, [&](auto place) HWY_ATTR { place.store(hn::Max(place.load(y, T{0}), bound), y); });
}

/// y + t dy, kept above a tiny multiple of y.
template <class T>
HWY_INLINE Vec<T> along(Vec<T> y, Vec<T> dy, Vec<T> t) {
  return hn::Max(hn::MulAdd(t, dy, y), hn::Mul(y, hn::Set(Tag<T>(), static_cast<T>(kLeastOfModel))));
}

/// The slope sigma of the convex function above, at z on the way from y.
template <Power kPower, class T>
HWY_INLINE Vec<T> slope_above(double beta, Vec<T> exponent, Vec<T> x, Vec<T> y, Vec<T> z) {
  const auto p = power<kPower, T>(z, exponent);
  if (beta < 1) {  // y^(b-1) is that of the start
    return hn::NegMulAdd(x, p, hn::Mul(y, power<kPower, T>(y, exponent)));
  }
  if (beta > 2) {  // the term of x is
    return hn::NegMulAdd(x, power<kPower, T>(y, exponent), hn::Mul(z, p));
  }
  return hn::Mul(hn::Sub(z, x), p);
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
    const auto z = along<T>(before, change, step);
    auto sigma = slope_above<kPower, T>(beta, exponent, place.load(x, T{0}), before, z);
    if (weights != nullptr) sigma = hn::Mul(sigma, place.load(weights, T{0}));
    sum = hn::MulAdd(change, sigma, sum);
  });
  return sum_of<T>(sum);
}

template <class T>
double slope(double beta, std::size_t n, const T* x, const T* y, const T* dy, T t, const T* weights) {
  return with_power(beta, [&]<Power kPower>() { return slope_of<kPower, T>(beta, n, x, y, dy, t, weights); });
}

template <Power kPower, class T>
HWY_ATTR void slopes_of(double beta, const EntryTile<T>& tile, const T* y, const T* dy, const T* a,
                        double* slopes, T* shared) {
  const Tag<T> d;
  const auto exponent = hn::Set(d, static_cast<T>(beta - 2));
  const auto whole = hn::Set(d, T{1});
  for (std::size_t i = 0; i < tile.rows; ++i) {
    const T* const x_row = tile.x + i * tile.x_stride;
    const T* const y_row = y + i * tile.stride;
    const T* const dy_row = dy + i * tile.stride;
    const T* const weights = tile.weights == nullptr ? nullptr : tile.weights + i * tile.stride;
    const auto share = hn::Set(d, a[i]);
    auto sum = hn::Zero(d);
    for_each_vector<T>(tile.n, [&](auto place) HWY_ATTR {
      const auto before = place.load(y_row, T{1});
      const auto change = place.load(dy_row, T{0});
      const auto z = along<T>(before, change, whole);
      auto sigma = slope_above<kPower, T>(beta, exponent, place.load(x_row, T{0}), before, z);
      if (weights != nullptr) sigma = hn::Mul(sigma, place.load(weights, T{0}));
      sum = hn::MulAdd(change, sigma, sum);
      place.store(hn::MulAdd(hn::Mul(share, before), before, place.load(shared, T{0})), shared);
    });
    slopes[i] += sum_of<T>(sum);
  }
}

template <class T>
void slopes(double beta, const EntryTile<T>& tile, const T* y, const T* dy, const T* a, double* slopes,
            T* shared) {
  with_power(beta, [&]<Power kPower>() { slopes_of<kPower, T>(beta, tile, y, dy, a, slopes, shared); });
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
          .models = models<T>,
          .raise = raise<T>,
          .slope = slope<T>,
          .slopes = slopes<T>,
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
