// SPDX-License-Identifier: MIT
// The sweeps over one panel of gathered rows (kernels/kl_panel.h). For files that are compiled once per
// instruction set: included behind foreach_target.h, and again for each of them.
#if defined(ANMF_KERNELS_KL_PANEL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ANMF_KERNELS_KL_PANEL_INL_H_
#undef ANMF_KERNELS_KL_PANEL_INL_H_
#else
#define ANMF_KERNELS_KL_PANEL_INL_H_
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>

#include "kernels/kl_panel.h"
#include "kernels/pack_rows-inl.h"
#include "kernels/reciprocal-inl.h"

HWY_BEFORE_NAMESPACE();
namespace anmf::HWY_NAMESPACE {

// The least model of an entry, and that of places without one: far below any, with an inverse and its square
// in range.
template <class T>
constexpr T kTinyModel = sizeof(T) == 4 ? T{1e-15F} : T{1e-100};
// A coordinate that moves to zero leaves at least this share of y, as the slope there is computed.
template <class T>
constexpr T kLeastShare = sizeof(T) == 4 ? T{1e-6F} : T{1e-12};

/// Rows of M in the lanes of kVectors vectors. Place j has entry j of every lane.
template <std::size_t kVectors, class T>
class KlPanel {
 public:
  using D = hn::ScalableTag<T>;
  using V = hn::Vec<D>;
  using M = hn::Mask<D>;
  static constexpr std::size_t kLanes = hn::MaxLanes(D());
  static constexpr std::size_t kWidth = kVectors * kLanes;

  /// `size` is the number of places.
  HWY_ATTR KlPanel(const KlSweeps<T>& sweeps, const KlRow<T>* rows, std::size_t count, std::size_t size,
                   const KlScratch<T>& scratch)
      : sweeps_(sweeps),
        rows_(rows),
        count_(count),
        size_(size),
        scratch_(scratch),
        rank_(static_cast<std::size_t>(sweeps.F.cols)) {
    ANMF_UNROLL for (std::size_t v = 0; v < kVectors; ++v) step_[v] = hn::Zero(D());
  }

  /// Gathers w, entries and rows of F, and makes y.
  HWY_ATTR void gather() {
    const T* rows[kLanes];
    for (std::size_t v = 0; v < kVectors; ++v) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const KlRow<T>* const row = row_of(v * kLanes + lane);
        rows[lane] = row != nullptr ? row->w : nullptr;
      }
      pack_rows<false>(rows, rank_, kWidth, scratch_.w + v * kLanes);
    }
    const bool by_squares = !scratch_.direct && rank_ >= kLanes;
    // A row of F for places without an entry: what will be noted of coordinates has room for one.
    T* const zeros = scratch_.w + rank_ * kWidth;
    std::fill_n(zeros, rank_, T{0});
    const std::size_t full = full_places();
    for (std::size_t j = 0; j < full; ++j) gather_places<true>(j, by_squares);
    for (std::size_t j = full; j < size_; ++j) gather_places<false>(j, by_squares);
    if (!by_squares) make_model();
  }

  /// All sweeps; how many moved a lane is counted in `moved`.
  HWY_ATTR void sweep(Index* moved) {
    const D d;
    V first[kVectors];
    V decrease[kVectors];
    M active[kVectors];
    ANMF_UNROLL for (std::size_t v = 0; v < kVectors; ++v) { active[v] = hn::Ge(hn::Zero(d), hn::Zero(d)); }
    for (Index done = 0; done < sweeps_.budget; ++done) {
      sweep_once(done == 0, active, decrease);
      bool any = false;
      ANMF_UNROLL for (std::size_t v = 0; v < kVectors; ++v) {
        if (done == 0) first[v] = decrease[v];
        HWY_ALIGN T counts[kLanes];
        hn::Store(hn::IfThenElseZero(active[v], hn::Set(d, T{1})), d, counts);
        for (std::size_t lane = 0; lane < kLanes; ++lane)
          moved[v * kLanes + lane] += counts[lane] > 0 ? 1 : 0;
        active[v] = hn::And(active[v], hn::Gt(decrease[v], hn::Mul(hn::Set(d, sweeps_.share), first[v])));
        any = any || !hn::AllFalse(d, active[v]);
      }
      if (!any) break;
    }
    follow();
  }

  HWY_ATTR void scatter() const {
    T* rows[kLanes];
    for (std::size_t begin = 0; begin < count_; begin += kLanes) {
      const std::size_t count = std::min(kLanes, count_ - begin);
      for (std::size_t lane = 0; lane < count; ++lane) rows[lane] = rows_[begin + lane].w;
      unpack_rows(scratch_.w + begin, rank_, kWidth, rows, count);
    }
  }

 private:
  HWY_INLINE const KlRow<T>* row_of(std::size_t lane) const { return lane < count_ ? rows_ + lane : nullptr; }

  /// Entries, rows of F and models of one place; with kFull every lane has something there.
  template <bool kFull>
  HWY_INLINE void gather_places(std::size_t j, bool by_squares) {
    const T scale = sweeps_.scale;
    const T* const F = sweeps_.F.data;
    const auto stride = static_cast<std::size_t>(sweeps_.F.stride);
    const T* const zeros = scratch_.w + rank_ * kWidth;
    const bool asks = !scratch_.direct;
    for (std::size_t v = 0; v < kVectors; ++v) {
      const std::size_t place = j * kWidth + v * kLanes;
      T* const x = scratch_.x + place;
      const T* rows[kLanes];
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const KlRow<T>* const row = kFull ? rows_ + v * kLanes + lane : row_of(v * kLanes + lane);
        const bool there = kFull || (row != nullptr && j < row->count);
        x[lane] = there ? row->values[j] * scale : T{0};
        rows[lane] = there ? F + row->indices[j] * stride : zeros;
        const std::size_t next = j + kKlPlacesAhead;
        if (!asks || !there || next >= row->count) continue;
        const T* const ahead = F + row->indices[next] * stride;
        for (std::size_t k = 0; k < rank_; k += 64 / sizeof(T)) hwy::Prefetch(ahead + k);
      }
      if (by_squares) {
        const T* const w = scratch_.w + v * kLanes;
        const V y = pack_and_add(rows, rank_, size_ * kWidth, scratch_.panel + place,
                                 [w](std::size_t k) HWY_ATTR { return hn::Load(D(), w + k * kWidth); });
        hn::Store(hn::Max(y, hn::Set(D(), kTinyModel<T>)), D(), scratch_.y + place);
      } else if (asks) {
        pack_rows<true>(rows, rank_, size_ * kWidth, scratch_.panel + place);
      }
    }
  }

  /// Places at which every lane has something.
  [[nodiscard]] HWY_INLINE std::size_t full_places() const {
    if (count_ < kWidth) return 0;
    std::size_t least = size_;
    for (std::size_t lane = 0; lane < kWidth; ++lane) least = std::min(least, rows_[lane].count);
    return least;
  }

  /// P[k], for all places; without a panel the two that were asked for last are kept.
  HWY_INLINE const T* column(std::size_t k) {
    if (!scratch_.direct) return scratch_.panel + k * size_ * kWidth;
    T* const kept = scratch_.panel + (turn_ ^= 1U) * size_ * kWidth;
    for (std::size_t j = 0; j < size_; ++j) {
      for (std::size_t lane = 0; lane < kWidth; ++lane) {
        const KlRow<T>* const row = row_of(lane);
        kept[j * kWidth + lane] =
            row != nullptr && j < row->count ? sweeps_.F(row->indices[j], static_cast<Index>(k)) : T{0};
      }
    }
    return kept;
  }

  /// The same for one vector after the other; y is kept up by `follow`.
  HWY_INLINE void make_model() {
    const D d;
    T* const y = scratch_.y;
    const std::size_t places = size_ * kWidth;
    for (std::size_t at = 0; at < places; at += kLanes) hn::Store(hn::Zero(d), d, y + at);
    for (std::size_t k = 0; k < rank_; ++k) {
      const T* const p = column(k);
      for (std::size_t at = 0; at < places; at += kLanes) {
        const V w = hn::Load(d, scratch_.w + k * kWidth + at % kWidth);
        hn::Store(hn::MulAdd(w, hn::Load(d, p + at), hn::Load(d, y + at)), d, y + at);
      }
    }
    const V tiny = hn::Set(d, kTinyModel<T>);
    for (std::size_t at = 0; at < places; at += kLanes)
      hn::Store(hn::Max(hn::Load(d, y + at), tiny), d, y + at);
  }

  /// The last step of w is not in y yet.
  HWY_INLINE void follow() {
    if (last_ == nullptr) return;
    const D d;
    const V tiny = hn::Set(d, kTinyModel<T>);
    T* const y = scratch_.y;
    const T* const last = last_;
    const std::size_t size = size_;
    V step[kVectors];
    ANMF_UNROLL for (std::size_t v = 0; v < kVectors; ++v) step[v] = step_[v];
    for (std::size_t j = 0; j < size; ++j) {
      ANMF_UNROLL for (std::size_t v = 0; v < kVectors; ++v) {
        const std::size_t at = j * kWidth + v * kLanes;
        hn::Store(hn::Max(hn::MulAdd(step[v], hn::Load(d, last + at), hn::Load(d, y + at)), tiny), d, y + at);
      }
    }
    last_ = nullptr;
  }

  /// l_k of the rows in the lanes.
  HWY_INLINE V linear_of(std::size_t k, std::size_t v) const {
    const D d;
    if (sweeps_.linear != nullptr) return hn::Set(d, sweeps_.linear[k]);
    HWY_ALIGN T of_lanes[kLanes];
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const KlRow<T>* const row = row_of(v * kLanes + lane);
      of_lanes[lane] = row != nullptr ? row->linear[k] : T{0};
    }
    return hn::Load(d, of_lanes);
  }

  /// Leaves the decrease that the steps promise.
  HWY_ATTR void sweep_once(bool first, const M* active, V* decrease) {
    const D d;
    const V zero = hn::Zero(d);
    const V one = hn::Set(d, T{1});
    const V l2 = hn::Set(d, sweeps_.l2);
    ANMF_UNROLL for (std::size_t v = 0; v < kVectors; ++v) decrease[v] = zero;
    for (std::size_t k = 0; k < rank_; ++k) {
      T* const place = scratch_.w + k * kWidth;
      T* const still = scratch_.w + (rank_ + k) * kWidth;  // 1 where the coordinate stayed at zero
      M moves[kVectors];
      bool any = false;
      ANMF_UNROLL for (std::size_t v = 0; v < kVectors; ++v) {
        moves[v] = active[v];
        if (!first) moves[v] = hn::AndNot(hn::Gt(hn::Load(d, still + v * kLanes), zero), moves[v]);
        any = any || !hn::AllFalse(d, moves[v]);
      }
      if (!any) continue;
      const T* const p = column(k);
      V G[kVectors];
      V q[kVectors];
      add_up(p, G, q);
      last_ = p;
      ANMF_UNROLL for (std::size_t v = 0; v < kVectors; ++v) {
        const V linear = linear_of(k, v);
        const V w = hn::Load(d, place + v * kLanes);
        const V pull = G[v];
        const V g = hn::MulAdd(l2, w, hn::Sub(linear, pull));
        const V curvature = hn::Add(q[v], l2);
        const M bent = hn::Gt(curvature, zero);
        const V newton = hn::Max(zero, hn::Sub(w, hn::Div(g, hn::IfThenElse(bent, curvature, one))));
        V updated =
            hn::IfThenElseZero(bent, newton);  // without curvature there is nothing but the linear term
        const M far = hn::And(hn::And(hn::Gt(g, zero), hn::Gt(w, zero)),
                              hn::Lt(updated, hn::Mul(w, hn::Set(d, T{0.5}))));
        const M guarded = hn::And(moves[v], hn::And(far, bent));
        if (!hn::AllFalse(d, guarded)) {
          updated = hn::IfThenElse(guarded, guard(v, w, p, pull, g, linear), updated);
        }
        updated = hn::IfThenElse(moves[v], updated, w);
        const V step = hn::Sub(updated, w);
        step_[v] = step;
        decrease[v] =
            hn::NegMulAdd(step, hn::MulAdd(hn::Mul(curvature, step), hn::Set(d, T{0.5}), g), decrease[v]);
        hn::Store(updated, d, place + v * kLanes);
        const M stays = hn::And(hn::Eq(updated, zero), hn::Eq(w, zero));
        const V before = first ? zero : hn::Load(d, still + v * kLanes);
        hn::Store(hn::IfThenElse(moves[v], hn::IfThenElseZero(stays, one), before), d, still + v * kLanes);
      }
    }
  }

  /// Takes the last step of w into y, and adds up G and q of the coordinate with the column p. What the loop
  /// needs is in local variables: stores of vectors might change anything else.
  HWY_INLINE void add_up(const T* p, V* G, V* q) {
    const D d;
    const V tiny = hn::Set(d, kTinyModel<T>);
    const T* const last = last_ != nullptr ? last_ : p;  // no step was made then
    const T* const x = scratch_.x;
    T* const y_of = scratch_.y;
    const std::size_t places = size_ * kWidth;
    V step[kVectors];
    V sum[kVectors];
    V squares[kVectors];
    ANMF_UNROLL for (std::size_t v = 0; v < kVectors; ++v) {
      step[v] = step_[v];
      sum[v] = hn::Zero(d);
      squares[v] = hn::Zero(d);
    }
    for (std::size_t place = 0; place < places; place += kWidth) {
      ANMF_UNROLL for (std::size_t v = 0; v < kVectors; ++v) {
        const std::size_t at = place + v * kLanes;
        const V y = hn::Max(hn::MulAdd(step[v], hn::Load(d, last + at), hn::Load(d, y_of + at)), tiny);
        hn::Store(y, d, y_of + at);
        const V u = hn::Mul(hn::Load(d, p + at), reciprocal<3>(y));
        const V t = hn::Mul(hn::Load(d, x + at), u);
        sum[v] = hn::Add(sum[v], t);
        squares[v] = hn::MulAdd(t, u, squares[v]);
      }
    }
    ANMF_UNROLL for (std::size_t v = 0; v < kVectors; ++v) {
      G[v] = sum[v];
      q[v] = squares[v];
    }
  }

  /// A step that more than halves w: by the slope at zero.
  HWY_INLINE V guard(std::size_t v, V w, const T* p, V G, V g, V linear) const {
    const D d;
    const V zero = hn::Zero(d);
    const V least = hn::Set(d, kLeastShare<T>);
    V sum = zero;
    const std::size_t places = size_ * kWidth;
    for (std::size_t at = v * kLanes; at < places; at += kWidth) {
      const V y = hn::Load(d, scratch_.y + at);
      const V column = hn::Load(d, p + at);
      const V z = hn::Max(hn::NegMulAdd(w, column, y), hn::Mul(least, y));
      sum = hn::MulAdd(hn::Mul(hn::Load(d, scratch_.x + at), column), reciprocal<3>(z), sum);
    }
    const V g0 = hn::Sub(linear, sum);
    const V secant = hn::Div(hn::Mul(w, hn::Neg(g0)), hn::Sub(g, g0));
    // The root of l2 x^2 + l x = w G.
    const V pull = hn::Mul(w, G);
    const V root = hn::Sqrt(hn::MulAdd(linear, linear, hn::Mul(hn::Set(d, 4 * sweeps_.l2), pull)));
    const V multiplicative = hn::Div(hn::Add(pull, pull), hn::Add(linear, root));
    return hn::IfThenElseZero(hn::Lt(g0, zero), hn::Max(zero, hn::Min(secant, multiplicative)));
  }

  const KlSweeps<T>& sweeps_;
  const KlRow<T>* rows_;
  std::size_t count_;
  std::size_t size_;
  const KlScratch<T>& scratch_;
  std::size_t rank_;
  std::size_t turn_ = 0;
  const T* last_ = nullptr;  // P[k] of the last coordinate that moved, and by how much
  V step_[kVectors];
};

}  // namespace anmf::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
