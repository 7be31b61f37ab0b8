// SPDX-License-Identifier: MIT
#include "kernels/normal_equations.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/normal_equations.cpp"
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

// Rows of F in the panel: for r = 20 it is a quarter of a first-level cache.
constexpr std::size_t kAtOnce = 64;
// Rows of F are asked for this many entries before they are needed.
constexpr std::size_t kAhead = 8;
// Sums of a tile; with a vector and a number they fit 16 registers.
constexpr std::size_t kMostSums = 12;

/// Where row p of a lower triangle begins.
constexpr std::size_t triangle(std::size_t p) { return p * (p + 1) / 2; }

/// Coordinates with padding to whole vectors.
template <class T>
std::size_t stride_of(std::size_t rank) {
  const std::size_t L = hn::Lanes(Tag<T>());
  return (rank + 1 + L - 1) / L * L;
}

template <class T>
NormalSizes sizes(std::size_t rank) {
  const std::size_t L = hn::Lanes(Tag<T>());
  return {.panel = kAtOnce * stride_of<T>(rank),
          .own = (rank + 1) * stride_of<T>(rank),
          .triangles = triangle(rank + 1) * L,
          .factor = 2 * rank * L};
}

/// Rows of F and entries, times the roots of what they count.
template <class T>
HWY_ATTR void gather(ConstMatrixView<T> F, const CountedEntries<T>& entries, std::size_t begin,
                     std::size_t end, T* panel) {
  const Tag<T> d;
  const std::size_t L = hn::Lanes(d);
  const auto r = static_cast<std::size_t>(F.cols);
  const std::size_t whole = r / L * L;
  const std::size_t stride = stride_of<T>(r);
  for (std::size_t k = begin; k < end; ++k, panel += stride) {
    if (k + kAhead < entries.count) {
      const T* const next = F.row(entries.indices[k + kAhead]);
      for (std::size_t p = 0; p < r; p += 64 / sizeof(T)) hwy::Prefetch(next + p);
    }
    const T* const f = F.row(entries.indices[k]);
    const T root = entries.roots == nullptr ? T{1} : entries.roots[k];
    const auto times = hn::Set(d, root);
    for (std::size_t p = 0; p < whole; p += L) hn::Store(hn::Mul(times, hn::LoadU(d, f + p)), d, panel + p);
    if (whole < r && r >= L) {  // overlaps the one before
      hn::StoreU(hn::Mul(times, hn::LoadU(d, f + r - L)), d, panel + r - L);
    } else {
      for (std::size_t p = whole; p < r; ++p) panel[p] = root * f[p];
    }
    panel[r] = root * entries.scale * entries.values[k];
  }
}

/// Adds to kSums rows of the triangle, one vector of each, what the panel has for them.
template <std::size_t kSums, class T>
HWY_ATTR void add_tile(const T* panel, std::size_t count, std::size_t stride, std::size_t row,
                       std::size_t column, T* own) {
  const Tag<T> d;
  T* const place = own + row * stride + column;
  hn::Vec<Tag<T>> sums[kSums];
  for (std::size_t i = 0; i < kSums; ++i) sums[i] = hn::Load(d, place + i * stride);
  for (std::size_t k = 0; k < count; ++k, panel += stride) {
    const auto f = hn::Load(d, panel + column);
    for (std::size_t i = 0; i < kSums; ++i) sums[i] = hn::MulAdd(hn::Set(d, panel[row + i]), f, sums[i]);
  }
  for (std::size_t i = 0; i < kSums; ++i) hn::Store(sums[i], d, place + i * stride);
}

/// With as many sums as the tile has rows.
template <std::size_t kSums, class T>
HWY_ATTR void add_rows(std::size_t rows, const T* panel, std::size_t count, std::size_t stride,
                       std::size_t row, std::size_t column, T* own) {
  if (rows == kSums) return add_tile<kSums>(panel, count, stride, row, column, own);
  if constexpr (kSums > 1) add_rows<kSums - 1>(rows, panel, count, stride, row, column, own);
}

template <class T>
HWY_ATTR void add_up(ConstMatrixView<T> F, const CountedEntries<T>& entries, std::size_t lane,
                     const NormalMemory<T>& memory) {
  const std::size_t L = hn::Lanes(Tag<T>());
  const auto r = static_cast<std::size_t>(F.cols);
  const std::size_t stride = stride_of<T>(r);
  std::fill_n(memory.own, (r + 1) * stride, T{0});
  for (std::size_t begin = 0; begin < entries.count; begin += kAtOnce) {
    const std::size_t end = std::min(begin + kAtOnce, entries.count);
    gather(F, entries, begin, end, memory.panel);
    for (std::size_t column = 0; column <= r; column += L) {
      // The rows from the diagonal on, in tiles of about the same height.
      std::size_t rest = r + 1 - column;
      for (std::size_t tiles = (rest + kMostSums - 1) / kMostSums; tiles > 0; --tiles) {
        const std::size_t rows = (rest + tiles - 1) / tiles;
        add_rows<kMostSums>(rows, memory.panel, end - begin, stride, r + 1 - rest, column, memory.own);
        rest -= rows;
      }
    }
  }
  T* to = memory.triangles + lane;
  for (std::size_t p = 0; p <= r; ++p) {
    const T* const row = memory.own + p * stride;
    for (std::size_t q = 0; q <= p; ++q, to += L) *to = row[q];
  }
}

/// Rows side by side.
template <class T>
class Sweeper {
 public:
  using D = hn::ScalableTag<T>;
  using V = hn::Vec<D>;

  HWY_ATTR Sweeper(const RowSweeps<T>& sweeps, const NormalMemory<T>& memory)
      : sweeps_(sweeps),
        G_(memory.triangles),
        c_(memory.triangles + triangle(sweeps.rank) * hn::Lanes(D())),
        x_(memory.factor),
        inverse_(memory.factor + sweeps.rank * hn::Lanes(D())) {}

  HWY_ATTR void pack(const SweptRow<T>* rows, std::size_t count) {
    const D d;
    const std::size_t L = hn::Lanes(d);
    for (std::size_t p = 0; p < sweeps_.rank; ++p) {
      hn::Store(hn::Zero(d), d, x_ + p * L);
      const V diagonal = hn::Add(hn::Load(d, G_ + (triangle(p) + p) * L), hn::Set(d, sweeps_.l2));
      hn::Store(hn::IfThenElseZero(hn::Gt(diagonal, hn::Set(d, kNoCurvature<T>)),
                                   hn::Div(hn::Set(d, T{1}), diagonal)),
                d, inverse_ + p * L);
    }
    for (std::size_t lane = 0; lane < count; ++lane) {
      for (std::size_t p = 0; p < sweeps_.rank; ++p) x_[p * L + lane] = rows[lane].x[p];
    }
  }
  HWY_ATTR void unpack(SweptRow<T>* rows, std::size_t count) const {
    const std::size_t L = hn::Lanes(D());
    for (std::size_t lane = 0; lane < count; ++lane) {
      for (std::size_t p = 0; p < sweeps_.rank; ++p) rows[lane].x[p] = x_[p * L + lane];
    }
  }

  /// Returns the squared step of each lane; lanes that are not active stay where they are.
  HWY_ATTR V sweep(hn::Mask<D> active) {
    const D d;
    const std::size_t L = hn::Lanes(d);
    const V l1 = hn::Set(d, sweeps_.l1);
    const V l2 = hn::Set(d, sweeps_.l2);
    V squares = hn::Zero(d);
    V x = hn::Zero(d);  // the coordinate before
    for (std::size_t p = 0; p < sweeps_.rank; ++p) {
      const V old = hn::Load(d, x_ + p * L);
      const V inverse = hn::Load(d, inverse_ + p * L);
      const T* const diagonal = G_ + (triangle(p) + p) * L;
      V slope = hn::Sub(hn::Load(d, c_ + p * L), l1);
      slope = hn::NegMulAdd(hn::Add(hn::Load(d, diagonal), l2), old, slope);
      slope = beside(p, slope);
      if (p > 0) slope = hn::NegMulAdd(hn::Load(d, diagonal - L), x, slope);  // what came last
      x = hn::Max(hn::Zero(d), hn::MulAdd(slope, inverse, old));
      x = hn::IfThenElseZero(hn::Gt(inverse, hn::Zero(d)), x);  // nothing but the penalty
      x = hn::IfThenElse(active, x, old);
      const V step = hn::Sub(x, old);
      squares = hn::MulAdd(step, step, squares);
      hn::Store(x, d, x_ + p * L);
    }
    return squares;
  }

  /// sum p a^2 - 2 <c, x> + <x, G x>.
  [[nodiscard]] HWY_ATTR V residual() const {
    const D d;
    const std::size_t L = hn::Lanes(d);
    V sum = squares();
    for (std::size_t p = 0; p < sweeps_.rank; ++p) {
      const V x = hn::Load(d, x_ + p * L);
      const V c = hn::Load(d, c_ + p * L);
      const T* const diagonal = G_ + (triangle(p) + p) * L;
      V rest = hn::NegMulAdd(hn::Load(d, diagonal), x, hn::Add(c, c));
      rest = beside(p, rest);
      if (p > 0) rest = hn::NegMulAdd(hn::Load(d, diagonal - L), hn::Load(d, x_ + (p - 1) * L), rest);
      sum = hn::NegMulAdd(rest, x, sum);
    }
    return sum;
  }
  [[nodiscard]] HWY_ATTR V squares() const { return hn::Load(D(), c_ + sweeps_.rank * hn::Lanes(D())); }

 private:
  /// start - sum of G_pq x_q over all q but p and p - 1.
  HWY_INLINE V beside(std::size_t p, V start) const {
    const D d;
    const std::size_t L = hn::Lanes(d);
    V more[3] = {hn::Zero(d), hn::Zero(d), hn::Zero(d)};
    const T* place = G_ + (triangle(p + 1) + p) * L;
    const T* x = x_ + (p + 1) * L;
    std::size_t step = (p + 2) * L;
    std::size_t q = p + 1;
    const auto next = [&](V& sum) HWY_ATTR {
      sum = hn::NegMulAdd(hn::Load(d, place), hn::Load(d, x), sum);
      place += step;
      step += L;
      x += L;
    };
    for (; q + 4 <= sweeps_.rank; q += 4) {
      next(start);
      next(more[0]);
      next(more[1]);
      next(more[2]);
    }
    for (; q < sweeps_.rank; ++q) next(more[0]);
    place = G_ + triangle(p) * L;
    x = x_;
    const auto before = [&](V& sum) HWY_ATTR {
      sum = hn::NegMulAdd(hn::Load(d, place), hn::Load(d, x), sum);
      place += L;
      x += L;
    };
    for (q = 0; q + 5 <= p; q += 4) {
      before(start);
      before(more[0]);
      before(more[1]);
      before(more[2]);
    }
    for (; q + 1 < p; ++q) before(more[1]);
    return hn::Add(hn::Add(start, more[0]), hn::Add(more[1], more[2]));
  }

  const RowSweeps<T>& sweeps_;
  const T* G_;
  const T* c_;
  T* x_;
  T* inverse_;
};

template <class T>
HWY_ATTR void sweep(const RowSweeps<T>& sweeps, SweptRow<T>* rows, std::size_t count,
                    const NormalMemory<T>& memory) {
  const Tag<T> d;
  Sweeper<T> sweeper(sweeps, memory);
  sweeper.pack(rows, count);
  HWY_ALIGN T steps[hn::MaxLanes(d)];
  HWY_ALIGN T firsts[hn::MaxLanes(d)] = {};
  HWY_ALIGN T active[hn::MaxLanes(d)] = {};
  std::fill_n(active, count, T{1});
  for (std::size_t lane = 0; lane < count; ++lane) rows[lane].sweeps = 0;
  do {
    hn::Store(sweeper.sweep(hn::Gt(hn::Load(d, active), hn::Zero(d))), d, steps);
  } while (goes_on(sweeps, rows, count, steps, firsts, active));
  sweeper.unpack(rows, count);
  if (!sweeps.wants_residual) return;
  hn::Store(sweeper.residual(), d, steps);
  hn::Store(sweeper.squares(), d, firsts);
  for (std::size_t lane = 0; lane < count; ++lane) {
    rows[lane].residual = steps[lane];
    rows[lane].squares = firsts[lane];
  }
}

template <class T>
NormalKernels<T> normal_table() {
  return {.lanes = hn::Lanes(Tag<T>()), .sizes = sizes<T>, .add_up = add_up<T>, .sweep = sweep<T>};
}

NormalKernels<float> float_normal() { return normal_table<float>(); }
NormalKernels<double> double_normal() { return normal_table<double>(); }

}  // namespace
}  // namespace anmf::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace anmf {

HWY_EXPORT(float_normal);
HWY_EXPORT(double_normal);

template <>
NormalKernels<float> find_normal_kernels<float>() {
  return HWY_DYNAMIC_DISPATCH(float_normal)();
}

template <>
NormalKernels<double> find_normal_kernels<double>() {
  return HWY_DYNAMIC_DISPATCH(double_normal)();
}

template <class T>
const NormalKernels<T>& normal_kernels() {
  static const NormalKernels<T> kernels = find_normal_kernels<T>();
  return kernels;
}

template const NormalKernels<float>& normal_kernels();
template const NormalKernels<double>& normal_kernels();

}  // namespace anmf
#endif
