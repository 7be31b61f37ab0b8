// SPDX-License-Identifier: MIT
// The sweeps over one long row of M (kernels/kl_panel.h), whose nonzeros lie side by side in the lanes. What
// a coordinate does is decided for the row alone, so one that is zero and stays so costs next to nothing: its
// slope is a sum over x / y, which are kept while nothing moves. For files that are compiled once per
// instruction set: included behind foreach_target.h, and again for each of them.
#if defined(ANMF_KERNELS_KL_LINE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ANMF_KERNELS_KL_LINE_INL_H_
#undef ANMF_KERNELS_KL_LINE_INL_H_
#else
#define ANMF_KERNELS_KL_LINE_INL_H_
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "kernels/kl_panel-inl.h"

HWY_BEFORE_NAMESPACE();
namespace anmf::HWY_NAMESPACE {

template <class T>
class KlLine {
 public:
  using D = hn::ScalableTag<T>;
  using V = hn::Vec<D>;
  static constexpr std::size_t kLanes = hn::MaxLanes(D());

  HWY_ATTR KlLine(const KlSweeps<T>& sweeps, const KlRow<T>& row, const KlScratch<T>& scratch)
      : sweeps_(sweeps),
        row_(row),
        scratch_(scratch),
        rank_(static_cast<std::size_t>(sweeps.F.cols)),
        places_((row.count + kLanes - 1) / kLanes * kLanes) {}

  /// Gathers w, entries and rows of F, and makes y.
  HWY_ATTR void gather() {
    const D d;
    T* const w = scratch_.w;
    std::copy_n(row_.w, rank_, w);
    T* const zeros = scratch_.w + rank_;  // a row of F for places without an entry
    std::fill_n(zeros, rank_, T{0});
    const bool by_squares = !scratch_.direct && rank_ >= kLanes;
    for (std::size_t place = 0; place < places_; place += kLanes) {
      const T* rows[kLanes];
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const std::size_t at = place + lane;
        const bool there = at < row_.count;
        scratch_.x[at] = there ? row_.values[at] * sweeps_.scale : T{0};
        rows[lane] = there ? row_of_F(at) : zeros;
        const std::size_t next = at + kKlPlacesAhead * kLanes;
        if (scratch_.direct || next >= row_.count) continue;
        const T* const ahead = row_of_F(next);
        for (std::size_t k = 0; k < rank_; k += 64 / sizeof(T)) hwy::Prefetch(ahead + k);
      }
      if (by_squares) {
        const V y = pack_and_add(rows, rank_, places_, scratch_.panel + place,
                                 [w](std::size_t k) HWY_ATTR { return hn::Set(D(), w[k]); });
        hn::Store(hn::Max(y, hn::Set(d, kTinyModel<T>)), d, scratch_.y + place);
      } else if (!scratch_.direct) {
        pack_rows<true>(rows, rank_, places_, scratch_.panel + place);
      }
    }
    if (!by_squares) make_model();
  }

  /// All sweeps; returns how many there were.
  HWY_ATTR Index sweep() {
    T first = 0;
    Index done = 0;
    while (done < sweeps_.budget) {
      const T decrease = sweep_once(done == 0);
      if (++done == 1) first = decrease;
      if (!(decrease > sweeps_.share * first)) break;
    }
    if (last_ != nullptr) renew(last_);
    return done;
  }

  HWY_ATTR void scatter() const { std::copy_n(scratch_.w, rank_, row_.w); }

 private:
  HWY_INLINE const T* row_of_F(std::size_t at) const {
    return sweeps_.F.data + row_.indices[at] * static_cast<std::size_t>(sweeps_.F.stride);
  }

  /// P[k]; without a panel the two that were asked for last are kept.
  HWY_INLINE const T* column(std::size_t k) {
    if (!scratch_.direct) return scratch_.panel + k * places_;
    T* const kept = scratch_.panel + (turn_ ^= 1U) * places_;
    for (std::size_t at = 0; at < places_; ++at) kept[at] = at < row_.count ? row_of_F(at)[k] : T{0};
    return kept;
  }

  HWY_INLINE void make_model() {
    const D d;
    T* const y = scratch_.y;
    const std::size_t places = places_;
    std::fill_n(y, places, T{0});
    for (std::size_t k = 0; k < rank_; ++k) {
      const T* const p = column(k);
      const V w = hn::Set(d, scratch_.w[k]);
      for (std::size_t at = 0; at < places; at += kLanes) {
        hn::Store(hn::MulAdd(w, hn::Load(d, p + at), hn::Load(d, y + at)), d, y + at);
      }
    }
    const V tiny = hn::Set(d, kTinyModel<T>);
    for (std::size_t at = 0; at < places; at += kLanes)
      hn::Store(hn::Max(hn::Load(d, y + at), tiny), d, y + at);
  }

  HWY_INLINE T whole(V sum) const { return hn::GetLane(hn::SumOfLanes(D(), sum)); }

  /// Returns the decrease that the steps promise.
  HWY_ATTR T sweep_once(bool first) {
    T* const w_of = scratch_.w;
    T* const still = scratch_.w + rank_;  // 1 where the coordinate stayed at zero
    T decrease = 0;
    for (std::size_t k = 0; k < rank_; ++k) {
      if (!first && still[k] > 0) continue;
      const T w = w_of[k];
      const T linear = (sweeps_.linear != nullptr ? sweeps_.linear : row_.linear)[k];
      const T* const p = column(k);
      T G = 0;
      T q = 0;
      if (w == 0) {
        if (!ratios_are_current_) {
          G = renew(p);
        } else {
          G = pull(p);
        }
        still[k] = linear - G >= 0 ? T{1} : T{0};
        if (still[k] > 0) continue;
        q = curvature(p);
      } else {
        add_up(p, G, q);
        still[k] = 0;
      }
      last_ = p;
      const T g = linear + sweeps_.l2 * w - G;
      q += sweeps_.l2;
      T updated = q > 0 ? std::max(T{0}, w - g / q) : T{0};
      if (q > 0 && g > 0 && updated < T{0.5} * w) updated = guard(w, p, G, g, linear);
      step_ = updated - w;
      ratios_are_current_ = false;
      decrease -= step_ * (T{0.5} * q * step_ + g);
      w_of[k] = updated;
      if (updated == 0 && w == 0) still[k] = 1;
    }
    return decrease;
  }

  /// Takes the last step of w into y and makes x / y; the sum of x / y p.
  HWY_INLINE T renew(const T* p) {
    const D d;
    const V tiny = hn::Set(d, kTinyModel<T>);
    const V step = hn::Set(d, last_ != nullptr ? step_ : T{0});
    const T* const last = last_ != nullptr ? last_ : p;
    const T* const x = scratch_.x;
    T* const y_of = scratch_.y;
    T* const z_of = scratch_.z;
    const std::size_t places = places_;
    V sum = hn::Zero(d);
    for (std::size_t at = 0; at < places; at += kLanes) {
      const V y = hn::Max(hn::MulAdd(step, hn::Load(d, last + at), hn::Load(d, y_of + at)), tiny);
      const V z = hn::Mul(hn::Load(d, x + at), reciprocal<3>(y));
      hn::Store(y, d, y_of + at);
      hn::Store(z, d, z_of + at);
      sum = hn::MulAdd(z, hn::Load(d, p + at), sum);
    }
    last_ = nullptr;
    ratios_are_current_ = true;
    return whole(sum);
  }

  /// The sum of x / y p, with x / y as they were made last.
  HWY_INLINE T pull(const T* p) const {
    const D d;
    const T* const z = scratch_.z;
    const std::size_t places = places_;
    V sum = hn::Zero(d);
    V more = hn::Zero(d);
    std::size_t at = 0;
    for (; at + 2 * kLanes <= places; at += 2 * kLanes) {
      sum = hn::MulAdd(hn::Load(d, z + at), hn::Load(d, p + at), sum);
      more = hn::MulAdd(hn::Load(d, z + at + kLanes), hn::Load(d, p + at + kLanes), more);
    }
    if (at < places) sum = hn::MulAdd(hn::Load(d, z + at), hn::Load(d, p + at), sum);
    return whole(hn::Add(sum, more));
  }

  /// The sum of x p^2 / y^2 at the y that x / y were made of.
  HWY_INLINE T curvature(const T* p) const {
    const D d;
    V sum = hn::Zero(d);
    for (std::size_t at = 0; at < places_; at += kLanes) {
      const V u = hn::Mul(hn::Load(d, p + at), reciprocal<3>(hn::Load(d, scratch_.y + at)));
      sum = hn::MulAdd(hn::Mul(hn::Load(d, p + at), hn::Load(d, scratch_.z + at)), u, sum);
    }
    return whole(sum);
  }

  /// Takes the last step of w into y, and adds up G and q of the coordinate with the column p.
  HWY_INLINE void add_up(const T* p, T& G, T& q) {
    const D d;
    const V tiny = hn::Set(d, kTinyModel<T>);
    const V step = hn::Set(d, last_ != nullptr ? step_ : T{0});
    const T* const last = last_ != nullptr ? last_ : p;
    const T* const x = scratch_.x;
    T* const y_of = scratch_.y;
    const std::size_t places = places_;
    V sum = hn::Zero(d);
    V squares = hn::Zero(d);
    for (std::size_t at = 0; at < places; at += kLanes) {
      const V y = hn::Max(hn::MulAdd(step, hn::Load(d, last + at), hn::Load(d, y_of + at)), tiny);
      hn::Store(y, d, y_of + at);
      const V u = hn::Mul(hn::Load(d, p + at), reciprocal<3>(y));
      const V t = hn::Mul(hn::Load(d, x + at), u);
      sum = hn::Add(sum, t);
      squares = hn::MulAdd(t, u, squares);
    }
    G = whole(sum);
    q = whole(squares);
  }

  /// A step that more than halves w: by the slope at zero.
  HWY_INLINE T guard(T w, const T* p, T G, T g, T linear) const {
    const D d;
    const V least = hn::Set(d, kLeastShare<T>);
    const V moved = hn::Set(d, w);
    V sum = hn::Zero(d);
    for (std::size_t at = 0; at < places_; at += kLanes) {
      const V y = hn::Load(d, scratch_.y + at);
      const V column = hn::Load(d, p + at);
      const V z = hn::Max(hn::NegMulAdd(moved, column, y), hn::Mul(least, y));
      sum = hn::MulAdd(hn::Mul(hn::Load(d, scratch_.x + at), column), reciprocal<3>(z), sum);
    }
    const T g0 = linear - whole(sum);
    if (!(g0 < 0)) return 0;
    const T secant = w * -g0 / (g - g0);
    // The root of l2 x^2 + l x = w G.
    const T pull = w * G;
    const T root = std::sqrt(linear * linear + 4 * sweeps_.l2 * pull);
    return std::max(T{0}, std::min(secant, (pull + pull) / (linear + root)));
  }

  const KlSweeps<T>& sweeps_;
  const KlRow<T>& row_;
  const KlScratch<T>& scratch_;
  std::size_t rank_;
  std::size_t places_;
  std::size_t turn_ = 0;
  const T* last_ = nullptr;  // P[k] of the last coordinate that moved, and by how much, if y has not followed
  T step_ = 0;
  bool ratios_are_current_ = false;
};

}  // namespace anmf::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
