// SPDX-License-Identifier: MIT
#include "kernels/kl_panel.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/kl_panel.cpp"
#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
#include <hwy/foreach_target.h>
// Behind foreach_target.h, as Highway wants it.
#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include "kernels/reciprocal-inl.h"
#include "kernels/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace anmf::HWY_NAMESPACE {
namespace {

// The least model of an entry, and that of places without one: far below any, with an inverse and its square
// in range.
template <class T>
constexpr T kTinyModel = sizeof(T) == 4 ? T{1e-15F} : T{1e-100};
// A coordinate that moves to zero leaves at least this share of y, as the slope there is computed.
template <class T>
constexpr T kLeastShare = sizeof(T) == 4 ? T{1e-6F} : T{1e-12};
// Rows of F are asked for this many places before they are needed.
constexpr std::size_t kAhead = 4;

/// The nonzeros of the rows in a panel: for place j and a lane, the row of F and the entry.
template <bool kOneRow, class T>
struct Places {
  const KlRow<T>* rows;
  std::size_t count;  // of rows
  std::size_t size;   // vectors

  /// The index into its row of what lies at place j of a lane; at least its count if there is nothing.
  HWY_INLINE std::size_t at(std::size_t j, std::size_t lane, std::size_t lanes) const {
    return kOneRow ? j * lanes + lane : j;
  }
  HWY_INLINE const KlRow<T>* row(std::size_t lane) const {
    if constexpr (kOneRow) return rows;
    return lane < count ? rows + lane : nullptr;
  }
};

/// The sweeps over one panel.
template <bool kOneRow, class T>
class Panel {
 public:
  using D = hn::ScalableTag<T>;
  using V = hn::Vec<D>;

  HWY_ATTR Panel(const KlSweeps<T>& sweeps, const Places<kOneRow, T>& places, const KlScratch<T>& scratch)
      : sweeps_(sweeps), places_(places), scratch_(scratch), rank_(static_cast<std::size_t>(sweeps.F.cols)) {}

  /// Gathers entries, rows of F and w, and makes y.
  HWY_ATTR void gather() {
    const D d;
    const std::size_t L = hn::Lanes(d);
    const T* rows[hn::MaxLanes(d)];
    const std::size_t full = full_places();
    for (std::size_t j = 0; j < places_.size; ++j) {
      for (std::size_t lane = 0; lane < L; ++lane) {
        const KlRow<T>* const row = places_.row(lane);
        const std::size_t at = places_.at(j, lane, L);
        const bool there = j < full || (row != nullptr && at < row->count);
        scratch_.x[j * L + lane] = there ? row->values[at] * sweeps_.scale : T{0};
        rows[lane] = there ? sweeps_.F.row(row->indices[at]) : nullptr;
        if (there && !scratch_.direct) ask_ahead(*row, places_.at(j + kAhead, lane, L));
      }
      if (scratch_.direct) continue;
      if (j < full) {
        pack<true>(rows, places_.size * L, scratch_.panel + j * L);
      } else {
        pack<false>(rows, places_.size * L, scratch_.panel + j * L);
      }
    }
    for (std::size_t lane = 0; lane < L; ++lane) {
      const KlRow<T>* const row = places_.row(lane);
      rows[lane] = row != nullptr ? row->w : nullptr;
    }
    if (kOneRow || places_.count == L) {
      pack<true>(rows, L, scratch_.w);
    } else {
      pack<false>(rows, L, scratch_.w);
    }
    make_model();
  }

  /// All sweeps; how many moved a lane is counted in `moved`.
  HWY_ATTR void sweep(Index* moved) {
    const D d;
    const std::size_t L = hn::Lanes(d);
    V first = hn::Zero(d);
    hn::Mask<D> active = hn::Ge(hn::Zero(d), hn::Zero(d));
    for (Index done = 0; done < sweeps_.budget; ++done) {
      const V decrease = sweep_once(done == 0, active);
      if (done == 0) first = decrease;
      HWY_ALIGN T counts[hn::MaxLanes(d)];
      hn::Store(hn::IfThenElseZero(active, hn::Set(d, T{1})), d, counts);
      for (std::size_t lane = 0; lane < L; ++lane) moved[lane] += counts[lane] > 0 ? 1 : 0;
      active = hn::And(active, hn::Gt(decrease, hn::Mul(hn::Set(d, sweeps_.share), first)));
      if (hn::AllFalse(d, active)) break;
    }
    follow();
  }

  HWY_ATTR void scatter() const {
    const D d;
    constexpr std::size_t kLanes = hn::MaxLanes(D());
    if (kOneRow || places_.count < kLanes || rank_ < kLanes) {
      const std::size_t L = hn::Lanes(d);
      for (std::size_t lane = 0; lane < (kOneRow ? 1 : places_.count); ++lane) {
        for (std::size_t k = 0; k < rank_; ++k) places_.rows[lane].w[k] = scratch_.w[k * L + lane];
      }
      return;
    }
    for (std::size_t k = 0; k < rank_; k += kLanes) {
      const std::size_t first = std::min(k, rank_ - kLanes);
      V square[kLanes];
      ANMF_UNROLL for (std::size_t l = 0; l < kLanes; ++l) square[l] =
          hn::Load(d, scratch_.w + (first + l) * kLanes);
      transpose_square(square);
      ANMF_UNROLL for (std::size_t lane = 0; lane < kLanes; ++lane) {
        hn::StoreU(square[lane], d, places_.rows[lane].w + first);
      }
    }
  }

 private:
  HWY_INLINE void ask_ahead(const KlRow<T>& row, std::size_t at) const {
    if (at >= row.count) return;
    const T* const next = sweeps_.F.row(row.indices[at]);
    for (std::size_t k = 0; k < rank_; k += 64 / sizeof(T)) hwy::Prefetch(next + k);
  }

  /// Places at which every lane has something.
  [[nodiscard]] HWY_INLINE std::size_t full_places() const {
    const std::size_t L = hn::Lanes(D());
    if constexpr (kOneRow) return places_.rows->count / L;
    if (places_.count < L) return 0;
    std::size_t least = places_.size;
    for (std::size_t lane = 0; lane < L; ++lane) least = std::min(least, places_.rows[lane].count);
    return least;
  }

  /// Rows of r numbers side by side: number k of all of them at `to` + k * stride. With kFull all are there.
  template <bool kFull>
  HWY_INLINE void pack(const T* const* rows, std::size_t stride, T* to) const {
    const D d;
    constexpr std::size_t kLanes = hn::MaxLanes(D());
    if (rank_ < kLanes) return pack_singly(rows, stride, to);
    for (std::size_t k = 0; k < rank_; k += kLanes) {
      const std::size_t first = std::min(k, rank_ - kLanes);  // the last square may overlap the one before
      V square[kLanes];
      ANMF_UNROLL for (std::size_t lane = 0; lane < kLanes; ++lane) {
        square[lane] = kFull || rows[lane] != nullptr ? hn::LoadU(d, rows[lane] + first) : hn::Zero(d);
      }
      transpose_square(square);
      ANMF_UNROLL for (std::size_t l = 0; l < kLanes; ++l) hn::Store(square[l], d, to + (first + l) * stride);
    }
  }
  HWY_INLINE void pack_singly(const T* const* rows, std::size_t stride, T* to) const {
    const std::size_t L = hn::Lanes(D());
    for (std::size_t k = 0; k < rank_; ++k) {
      for (std::size_t lane = 0; lane < L; ++lane) {
        to[k * stride + lane] = rows[lane] != nullptr ? rows[lane][k] : T{0};
      }
    }
  }

  /// P[k], for all places; without a panel the two that were asked for last are kept.
  HWY_INLINE const T* column(std::size_t k) {
    const std::size_t L = hn::Lanes(D());
    if (!scratch_.direct) return scratch_.panel + k * places_.size * L;
    T* const kept = scratch_.panel + (turn_ ^= 1U) * places_.size * L;
    for (std::size_t j = 0; j < places_.size; ++j) {
      for (std::size_t lane = 0; lane < L; ++lane) {
        const KlRow<T>* const row = places_.row(lane);
        const std::size_t at = places_.at(j, lane, L);
        kept[j * L + lane] =
            row != nullptr && at < row->count ? sweeps_.F(row->indices[at], static_cast<Index>(k)) : T{0};
      }
    }
    return kept;
  }

  HWY_INLINE void make_model() {
    const D d;
    const std::size_t L = hn::Lanes(d);
    const auto tiny = hn::Set(d, kTinyModel<T>);
    for (std::size_t j = 0; j < places_.size; ++j) hn::Store(hn::Zero(d), d, scratch_.y + j * L);
    for (std::size_t k = 0; k < rank_; ++k) {
      const V w = hn::Load(d, scratch_.w + k * L);
      if (hn::AllTrue(d, hn::Eq(w, hn::Zero(d)))) continue;
      const T* const p = column(k);
      for (std::size_t j = 0; j < places_.size; ++j) {
        hn::Store(hn::MulAdd(w, hn::Load(d, p + j * L), hn::Load(d, scratch_.y + j * L)), d,
                  scratch_.y + j * L);
      }
    }
    for (std::size_t j = 0; j < places_.size; ++j) {
      hn::Store(hn::Max(hn::Load(d, scratch_.y + j * L), tiny), d, scratch_.y + j * L);
    }
  }

  /// The last step of w is not in y yet.
  HWY_INLINE void follow() {
    if (last_ == nullptr) return;
    const D d;
    const std::size_t L = hn::Lanes(d);
    for (std::size_t j = 0; j < places_.size; ++j) {
      const auto y = hn::MulAdd(step_, hn::Load(d, last_ + j * L), hn::Load(d, scratch_.y + j * L));
      hn::Store(hn::Max(y, hn::Set(d, kTinyModel<T>)), d, scratch_.y + j * L);
    }
    last_ = nullptr;
  }

  /// What all lanes together have, where they share one row.
  HWY_INLINE V whole(V sum) const {
    if constexpr (kOneRow) return hn::SumOfLanes(D(), sum);
    return sum;
  }

  /// Returns the decrease that the steps promise.
  HWY_ATTR V sweep_once(bool first, hn::Mask<D> active) {
    const D d;
    const std::size_t L = hn::Lanes(d);
    const auto zero = hn::Zero(d);
    const auto tiny = hn::Set(d, kTinyModel<T>);
    const auto l2 = hn::Set(d, sweeps_.l2);
    V decrease = zero;
    for (std::size_t k = 0; k < rank_; ++k) {
      T* const place = scratch_.w + k * L;
      T* const still = scratch_.w + (rank_ + k) * L;  // 1 where the coordinate stayed at zero
      const V w = hn::Load(d, place);
      hn::Mask<D> moves = active;
      if (!first) moves = hn::AndNot(hn::Gt(hn::Load(d, still), zero), moves);
      if (hn::AllFalse(d, moves)) continue;
      const T* const p = column(k);
      V G = zero;
      V q = zero;
      for (std::size_t j = 0; j < places_.size; ++j) {
        V y = hn::Load(d, scratch_.y + j * L);
        if (last_ != nullptr) {
          y = hn::Max(hn::MulAdd(step_, hn::Load(d, last_ + j * L), y), tiny);
          hn::Store(y, d, scratch_.y + j * L);
        }
        const V u = hn::Mul(hn::Load(d, p + j * L), reciprocal<3>(y));
        const V t = hn::Mul(hn::Load(d, scratch_.x + j * L), u);
        G = hn::Add(G, t);
        q = hn::MulAdd(t, u, q);
      }
      last_ = p;
      G = whole(G);
      const V linear = hn::Set(d, sweeps_.linear[k]);
      const V g = hn::MulAdd(l2, w, hn::Sub(linear, G));
      q = hn::Add(whole(q), l2);
      const auto bent = hn::Gt(q, zero);
      const V newton = hn::Max(zero, hn::Sub(w, hn::Div(g, hn::IfThenElse(bent, q, hn::Set(d, T{1})))));
      V updated = hn::IfThenElseZero(bent, newton);  // without curvature there is nothing but the linear term
      const auto far =
          hn::And(hn::And(hn::Gt(g, zero), hn::Gt(w, zero)), hn::Lt(updated, hn::Mul(w, hn::Set(d, T{0.5}))));
      const auto guarded = hn::And(moves, hn::And(far, bent));
      if (!hn::AllFalse(d, guarded)) updated = hn::IfThenElse(guarded, guard(w, p, G, g, linear), updated);
      updated = hn::IfThenElse(moves, updated, w);
      step_ = hn::Sub(updated, w);
      decrease = hn::NegMulAdd(step_, hn::MulAdd(hn::Mul(q, step_), hn::Set(d, T{0.5}), g), decrease);
      hn::Store(updated, d, place);
      const auto stays = hn::And(hn::Eq(updated, zero), hn::Eq(w, zero));
      if (first) hn::Store(zero, d, still);
      const V kept = hn::IfThenElse(moves, hn::IfThenElseZero(stays, hn::Set(d, T{1})), hn::Load(d, still));
      hn::Store(kept, d, still);
    }
    return decrease;
  }

  /// A step that more than halves w: by the slope at zero.
  HWY_INLINE V guard(V w, const T* p, V G, V g, V linear) const {
    const D d;
    const std::size_t L = hn::Lanes(d);
    const auto zero = hn::Zero(d);
    const auto least = hn::Set(d, kLeastShare<T>);
    V sum = zero;
    for (std::size_t j = 0; j < places_.size; ++j) {
      const V y = hn::Load(d, scratch_.y + j * L);
      const V column = hn::Load(d, p + j * L);
      const V z = hn::Max(hn::NegMulAdd(w, column, y), hn::Mul(least, y));
      sum = hn::MulAdd(hn::Mul(hn::Load(d, scratch_.x + j * L), column), reciprocal<3>(z), sum);
    }
    const V g0 = hn::Sub(linear, whole(sum));
    const V secant = hn::Div(hn::Mul(w, hn::Neg(g0)), hn::Sub(g, g0));
    // The root of l2 x^2 + l x = w G.
    const V pull = hn::Mul(w, G);
    const V root = hn::Sqrt(hn::MulAdd(linear, linear, hn::Mul(hn::Set(d, 4 * sweeps_.l2), pull)));
    const V multiplicative = hn::Div(hn::Add(pull, pull), hn::Add(linear, root));
    return hn::IfThenElseZero(hn::Lt(g0, zero), hn::Max(zero, hn::Min(secant, multiplicative)));
  }

  const KlSweeps<T>& sweeps_;
  Places<kOneRow, T> places_;
  const KlScratch<T>& scratch_;
  std::size_t rank_;
  std::size_t turn_ = 0;
  const T* last_ = nullptr;  // P[k] of the last coordinate that moved, and by how much
  V step_ = hn::Zero(D());
};

template <class T>
std::size_t kl_rows(const KlSweeps<T>& sweeps, KlRow<T>* rows, std::size_t count,
                    const KlScratch<T>& scratch) {
  std::size_t longest = 0;
  for (std::size_t i = 0; i < count; ++i) longest = std::max(longest, rows[i].count);
  Panel<false, T> panel(sweeps, {.rows = rows, .count = count, .size = longest}, scratch);
  Index moved[HWY_MAX_BYTES / sizeof(T)] = {};
  panel.gather();
  panel.sweep(moved);
  panel.scatter();
  for (std::size_t i = 0; i < count; ++i) rows[i].sweeps = moved[i];
  return longest;
}

template <class T>
std::size_t kl_row(const KlSweeps<T>& sweeps, KlRow<T>& row, const KlScratch<T>& scratch) {
  const std::size_t L = hn::Lanes(hn::ScalableTag<T>());
  const std::size_t size = (row.count + L - 1) / L;
  Panel<true, T> panel(sweeps, {.rows = &row, .count = 1, .size = size}, scratch);
  Index moved[HWY_MAX_BYTES / sizeof(T)] = {};
  panel.gather();
  panel.sweep(moved);
  panel.scatter();
  row.sweeps = moved[0];
  return size;
}

template <class T>
KlKernels<T> kl_table() {
  return {.lanes = hn::Lanes(hn::ScalableTag<T>()), .rows = kl_rows<T>, .row = kl_row<T>};
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
