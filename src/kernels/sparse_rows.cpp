// SPDX-License-Identifier: MIT
// Vectors run along the rows of F. The last one of a row overlaps the one before it where that can be, and is
// loaded in part where a row is shorter than a vector.
#include "kernels/sparse_rows.h"

#include <algorithm>
#include <array>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/sparse_rows.cpp"
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

template <class T>
using Tag = hn::ScalableTag<T>;

// Rows of F are asked for this many nonzeros before they are needed.
constexpr std::size_t kNonzerosAhead = 8;
// Vectors of sums that stay in registers at a time.
constexpr std::size_t kSumsAtOnce = 8;

template <class T>
HWY_INLINE void ask_ahead(ConstMatrixView<T> F, const std::uint32_t* indices, std::size_t k,
                          std::size_t count) {
  if (k + kNonzerosAhead >= count) return;
  const T* const row = F.row(indices[k + kNonzerosAhead]);
  for (Index p = 0; p < F.cols; p += 64 / Index{sizeof(T)}) hwy::Prefetch(row + p);
}

template <class T>
HWY_ATTR void model(ConstMatrixView<T> F, const T* w, const std::uint32_t* indices, std::size_t count, T* y) {
  const Tag<T> d;
  const std::size_t L = hn::Lanes(d);
  const auto r = static_cast<std::size_t>(F.cols);
  for (std::size_t k = 0; k < count; ++k) {
    ask_ahead(F, indices, k, count);
    const T* const row = F.row(indices[k]);
    auto sum = hn::Zero(d);
    auto more = hn::Zero(d);
    std::size_t p = 0;
    for (; p + 2 * L <= r; p += 2 * L) {
      sum = hn::MulAdd(hn::LoadU(d, w + p), hn::LoadU(d, row + p), sum);
      more = hn::MulAdd(hn::LoadU(d, w + p + L), hn::LoadU(d, row + p + L), more);
    }
    if (p + L <= r) {
      sum = hn::MulAdd(hn::LoadU(d, w + p), hn::LoadU(d, row + p), sum);
      p += L;
    }
    T total = hn::GetLane(hn::SumOfLanes(d, hn::Add(sum, more)));
    for (; p < r; ++p) total += w[p] * row[p];
    y[k] = total;
  }
}

/// kVectors vectors of sums, from column `from` on.
template <bool kSquares, std::size_t kVectors, class T>
HWY_ATTR void add_vectors(ConstMatrixView<T> F, const T* u, const std::uint32_t* indices, std::size_t count,
                          std::size_t from, T* sums) {
  const Tag<T> d;
  const std::size_t L = hn::Lanes(d);
  hn::Vec<Tag<T>> held[kVectors];
  for (auto& sum : held) sum = hn::Zero(d);
  for (std::size_t k = 0; k < count; ++k) {
    const T* const row = F.row(indices[k]) + from;
    const auto weight = hn::Set(d, u[k]);
    for (std::size_t v = 0; v < kVectors; ++v) {
      const auto f = hn::LoadU(d, row + v * L);
      held[v] = hn::MulAdd(kSquares ? hn::Mul(weight, f) : weight, f, held[v]);
    }
  }
  for (std::size_t v = 0; v < kVectors; ++v) hn::StoreU(held[v], d, sums + from + v * L);
}

template <bool kSquares, class T>
HWY_ATTR void add_rows(ConstMatrixView<T> F, const T* u, const std::uint32_t* indices, std::size_t count,
                       T* sums) {
  const std::size_t L = hn::Lanes(Tag<T>());
  const auto r = static_cast<std::size_t>(F.cols);
  std::size_t p = 0;
  for (; p + kSumsAtOnce * L <= r; p += kSumsAtOnce * L) {
    add_vectors<kSquares, kSumsAtOnce, T>(F, u, indices, count, p, sums);
  }
  for (; p + 2 * L <= r; p += 2 * L) add_vectors<kSquares, 2, T>(F, u, indices, count, p, sums);
  for (; p + L <= r; p += L) add_vectors<kSquares, 1, T>(F, u, indices, count, p, sums);
  if (p == r) return;
  if (r >= L) return add_vectors<kSquares, 1, T>(F, u, indices, count, r - L, sums);
  std::fill_n(sums, r, T{0});
  for (std::size_t k = 0; k < count; ++k) {
    const T* const row = F.row(indices[k]);
    for (p = 0; p < r; ++p) sums[p] += u[k] * row[p] * (kSquares ? row[p] : T{1});
  }
}

#if HWY_TARGET != HWY_SCALAR
/// In all even lanes the sum of the even lanes, and in all odd ones that of the odd lanes.
template <class V>
HWY_INLINE V across_blocks(V sums) {
  using D = hn::DFromV<V>;
  const D d;
  if constexpr (sizeof(hn::TFromD<D>) == 4) sums = hn::Add(sums, hn::Shuffle1032(sums));
  if constexpr (hn::MaxLanes(D()) * sizeof(hn::TFromD<D>) >= 32)
    sums = hn::Add(sums, hn::SwapAdjacentBlocks(sums));
  if constexpr (hn::MaxLanes(D()) * sizeof(hn::TFromD<D>) >= 64)
    sums = hn::Add(sums, hn::ReverseBlocks(d, sums));
  return sums;
}
#endif

/// Rows of so many vectors, of which the last one may be partly filled: w and the sums stay in registers. The
/// models of two rows of F are made together, whose sums over lanes cost as much as those of one.
template <std::size_t kVectors, class T>
HWY_ATTR void model_sums_of(ConstMatrixView<T> F, const T* w, const T* u, const std::uint32_t* indices,
                            std::size_t count, T* sums) {
  const Tag<T> d;
  const std::size_t L = hn::Lanes(d);
  const std::size_t tail = static_cast<std::size_t>(F.cols) - (kVectors - 1) * L;
  const auto mask = hn::FirstN(d, tail);
  decltype(hn::Zero(d)) x[kVectors];  // NOLINT(modernize-avoid-c-arrays): of sizeless types, on some machines
  decltype(hn::Zero(d)) total[kVectors];  // NOLINT(modernize-avoid-c-arrays)
  const auto load = [&](const T* row, std::size_t v) HWY_ATTR {
    return v + 1 < kVectors ? hn::LoadU(d, row + v * L) : hn::MaskedLoad(mask, d, row + v * L);
  };
  for (std::size_t v = 0; v < kVectors; ++v) {
    x[v] = load(w, v);
    total[v] = hn::Zero(d);
  }
  decltype(hn::Zero(d)) f[kVectors];  // NOLINT(modernize-avoid-c-arrays)
  const auto product = [&](const T* row, auto* kept) HWY_ATTR {
    kept[0] = load(row, 0);
    auto sum = hn::Mul(x[0], kept[0]);
    for (std::size_t v = 1; v < kVectors; ++v) {
      kept[v] = load(row, v);
      sum = hn::MulAdd(x[v], kept[v], sum);
    }
    return sum;
  };
  std::size_t k = 0;
#if HWY_TARGET != HWY_SCALAR
  decltype(hn::Zero(d)) g[kVectors];  // NOLINT(modernize-avoid-c-arrays)
  for (; k + 2 <= count; k += 2) {
    const T* const row = F.row(indices[k]);
    const T* const next = F.row(indices[k + 1]);
    const auto one = product(row, f);
    const auto two = product(next, g);
    // Even lanes have parts of the first model, odd ones of the second.
    const auto both =
        across_blocks(hn::Add(hn::InterleaveLower(d, one, two), hn::InterleaveUpper(d, one, two)));
    auto y_one = hn::DupEven(both);
    auto y_two = hn::DupOdd(both);
    if (u != nullptr) {
      y_one = hn::Mul(y_one, hn::Set(d, u[indices[k]]));
      y_two = hn::Mul(y_two, hn::Set(d, u[indices[k + 1]]));
    }
    for (std::size_t v = 0; v < kVectors; ++v)
      total[v] = hn::MulAdd(y_two, g[v], hn::MulAdd(y_one, f[v], total[v]));
  }
#endif
  for (; k < count; ++k) {
    const T* const row = F.row(indices[k]);
    auto y = hn::SumOfLanes(d, product(row, f));
    if (u != nullptr) y = hn::Mul(y, hn::Set(d, u[indices[k]]));
    for (std::size_t v = 0; v < kVectors; ++v) total[v] = hn::MulAdd(y, f[v], total[v]);
  }
  for (std::size_t v = 0; v + 1 < kVectors; ++v) hn::StoreU(total[v], d, sums + v * L);
  hn::BlendedStore(total[kVectors - 1], mask, d, sums + (kVectors - 1) * L);
}

template <class T>
HWY_ATTR void model_sums(ConstMatrixView<T> F, const T* w, const T* u, const std::uint32_t* indices,
                         std::size_t count, T* sums) {
  const std::size_t L = hn::Lanes(Tag<T>());
  const auto r = static_cast<std::size_t>(F.cols);
  using Sums = void (*)(ConstMatrixView<T>, const T*, const T*, const std::uint32_t*, std::size_t, T*);
  constexpr std::array<Sums, 8> kOfVectors = {model_sums_of<1, T>, model_sums_of<2, T>, model_sums_of<3, T>,
                                              model_sums_of<4, T>, model_sums_of<5, T>, model_sums_of<6, T>,
                                              model_sums_of<7, T>, model_sums_of<8, T>};
  const std::size_t vectors = (r + L - 1) / L;
  if (vectors <= kOfVectors.size()) return kOfVectors[vectors - 1](F, w, u, indices, count, sums);
  std::fill_n(sums, r, T{0});
  for (std::size_t k = 0; k < count; ++k) {
    T y = 0;
    model<T>(F, w, indices + k, 1, &y);
    if (u != nullptr) y *= u[indices[k]];
    const T* const row = F.row(indices[k]);
    for (std::size_t p = 0; p < r; ++p) sums[p] += y * row[p];
  }
}

template <class T>
SparseRowKernels<T> sparse_row_table() {
  return {.model = model<T>,
          .sums = add_rows<false, T>,
          .model_sums = model_sums<T>,
          .square_sums = add_rows<true, T>};
}

SparseRowKernels<float> float_sparse_rows() { return sparse_row_table<float>(); }
SparseRowKernels<double> double_sparse_rows() { return sparse_row_table<double>(); }

}  // namespace
}  // namespace anmf::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace anmf {

HWY_EXPORT(float_sparse_rows);
HWY_EXPORT(double_sparse_rows);

template <>
SparseRowKernels<float> find_sparse_row_kernels<float>() {
  return HWY_DYNAMIC_DISPATCH(float_sparse_rows)();
}

template <>
SparseRowKernels<double> find_sparse_row_kernels<double>() {
  return HWY_DYNAMIC_DISPATCH(double_sparse_rows)();
}

template <class T>
const SparseRowKernels<T>& sparse_row_kernels() {
  static const SparseRowKernels<T> kernels = find_sparse_row_kernels<T>();
  return kernels;
}

template const SparseRowKernels<float>& sparse_row_kernels();
template const SparseRowKernels<double>& sparse_row_kernels();

}  // namespace anmf
#endif
