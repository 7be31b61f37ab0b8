// SPDX-License-Identifier: MIT
#include "kernels/residual_descent.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/residual_descent.cpp"
#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
#include <hwy/foreach_target.h>
// Behind foreach_target.h, as Highway wants it.
#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include "kernels/pack_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace anmf::HWY_NAMESPACE {
namespace {

// Rows of F are asked for this many entries before they are needed.
constexpr std::size_t kAhead = 4;

/// Rows side by side.
template <class T>
class ResidualPanel {
 public:
  using D = hn::ScalableTag<T>;
  using V = hn::Vec<D>;

  HWY_ATTR ResidualPanel(ConstMatrixView<T> F, const RowSweeps<T>& sweeps, const CountedEntries<T>* entries,
                         std::size_t count, const ResidualMemory<T>& memory)
      : F_(F), sweeps_(sweeps), entries_(entries), count_(count), panel_(memory.panel), e_(memory.e) {
    for (std::size_t lane = 0; lane < count; ++lane) size_ = std::max(size_, entries[lane].count);
    const std::size_t L = hn::Lanes(D());
    x_ = memory.factor;
    inverse_ = x_ + sweeps.rank * L;
    roots_ = e_ + size_ * L;
  }

  /// Rows of F and of X, and what follows from them.
  HWY_ATTR void gather(const SweptRow<T>* swept) {
    const D d;
    const std::size_t L = hn::Lanes(d);
    const T* rows[hn::MaxLanes(d)];
    for (std::size_t j = 0; j < size_; ++j) {
      for (std::size_t lane = 0; lane < L; ++lane) {
        const bool there = lane < count_ && j < entries_[lane].count;
        const T root = there && entries_[lane].roots != nullptr ? entries_[lane].roots[j] : T{1};
        roots_[j * L + lane] = root;
        e_[j * L + lane] = there ? root * entries_[lane].scale * entries_[lane].values[j] : T{0};
        rows[lane] = there ? F_.row(entries_[lane].indices[j]) : nullptr;
        if (lane < count_ && j + kAhead < entries_[lane].count) {
          const T* const next = F_.row(entries_[lane].indices[j + kAhead]);
          for (std::size_t k = 0; k < sweeps_.rank; k += 64 / sizeof(T)) hwy::Prefetch(next + k);
        }
      }
      pack_rows<false>(rows, sweeps_.rank, size_ * L, panel_ + j * L);
    }
    for (std::size_t lane = 0; lane < L; ++lane) rows[lane] = lane < count_ ? swept[lane].x : nullptr;
    pack_rows<false>(rows, sweeps_.rank, L, x_);
    const bool weighted =
        std::any_of(entries_, entries_ + count_, [](const auto& row) { return row.roots != nullptr; });
    if (weighted) {
      begin<true>();
    } else {
      begin<false>();
    }
  }

  /// Returns the squared step of each lane; lanes that are not active stay where they are.
  HWY_ATTR V sweep(hn::Mask<D> active) {
    const D d;
    const std::size_t L = hn::Lanes(d);
    V squares = hn::Zero(d);
    for (std::size_t k = 0; k < sweeps_.rank; ++k) {
      const V old = hn::Load(d, x_ + k * L);
      const V inverse = hn::Load(d, inverse_ + k * L);
      const V penalty = hn::MulAdd(hn::Set(d, sweeps_.l2), old, hn::Set(d, sweeps_.l1));
      const V slope = hn::Sub(follow(panel_ + k * size_ * L), penalty);
      V x = hn::Max(hn::Zero(d), hn::MulAdd(slope, inverse, old));
      x = hn::IfThenElseZero(hn::Gt(inverse, hn::Zero(d)), x);  // nothing but the penalty
      x = hn::IfThenElse(active, x, old);
      step_ = hn::Sub(x, old);
      last_ = panel_ + k * size_ * L;
      squares = hn::MulAdd(step_, step_, squares);
      hn::Store(x, d, x_ + k * L);
    }
    return squares;
  }

  HWY_ATTR V residual() {
    const D d;
    const std::size_t L = hn::Lanes(d);
    (void)follow(panel_);
    step_ = hn::Zero(d);
    V sum = hn::Zero(d);
    for (std::size_t j = 0; j < size_; ++j) {
      const V e = hn::Load(d, e_ + j * L);
      sum = hn::MulAdd(e, e, sum);
    }
    return sum;
  }

  HWY_ATTR void scatter(const SweptRow<T>* swept) const {
    T* rows[hn::MaxLanes(D())];
    for (std::size_t lane = 0; lane < count_; ++lane) rows[lane] = swept[lane].x;
    unpack_rows(x_, sweeps_.rank, hn::Lanes(D()), rows, count_);
  }

 private:
  /// Curvatures and residuals.
  template <bool kWeighted>
  HWY_ATTR void begin() {
    const D d;
    const std::size_t L = hn::Lanes(d);
    for (std::size_t k = 0; k < sweeps_.rank; ++k) {
      const V x = hn::Load(d, x_ + k * L);
      V sum = hn::Set(d, sweeps_.l2);
      for (std::size_t j = 0; j < size_; ++j) {
        T* const place = panel_ + (k * size_ + j) * L;
        V f = hn::Load(d, place);
        if constexpr (kWeighted) {
          f = hn::Mul(f, hn::Load(d, roots_ + j * L));
          hn::Store(f, d, place);
        }
        sum = hn::MulAdd(f, f, sum);
        hn::Store(hn::NegMulAdd(x, f, hn::Load(d, e_ + j * L)), d, e_ + j * L);
      }
      hn::Store(hn::IfThenElseZero(hn::Gt(sum, hn::Set(d, kNoCurvature<T>)), hn::Div(hn::Set(d, T{1}), sum)),
                d, inverse_ + k * L);
    }
  }

  /// The last step of x becomes one of the residuals; returns sum_j e_j f_j for these f.
  HWY_INLINE V follow(const T* f) {
    const D d;
    const std::size_t L = hn::Lanes(d);
    V sum = hn::Zero(d);
    V more = hn::Zero(d);
    std::size_t j = 0;
    const auto next = [&](V& to) HWY_ATTR {
      const V e = hn::NegMulAdd(step_, hn::Load(d, last_ + j * L), hn::Load(d, e_ + j * L));
      hn::Store(e, d, e_ + j * L);
      to = hn::MulAdd(e, hn::Load(d, f + j * L), to);
      ++j;
    };
    while (j + 2 <= size_) {
      next(sum);
      next(more);
    }
    if (j < size_) next(sum);
    return hn::Add(sum, more);
  }

  ConstMatrixView<T> F_;
  const RowSweeps<T>& sweeps_;
  const CountedEntries<T>* entries_;
  std::size_t count_;
  std::size_t size_ = 0;  // entries of the longest row
  T* panel_;
  T* e_;
  T* roots_;
  T* x_;
  T* inverse_;
  V step_ = hn::Zero(D());
  const T* last_ = panel_;  // the column that belongs to the step
};

template <class T>
HWY_ATTR void descend(ConstMatrixView<T> F, const RowSweeps<T>& sweeps, const CountedEntries<T>* entries,
                      SweptRow<T>* rows, std::size_t count, const ResidualMemory<T>& memory) {
  const hn::ScalableTag<T> d;
  ResidualPanel<T> panel(F, sweeps, entries, count, memory);
  panel.gather(rows);
  HWY_ALIGN T steps[hn::MaxLanes(d)];
  HWY_ALIGN T firsts[hn::MaxLanes(d)] = {};
  HWY_ALIGN T active[hn::MaxLanes(d)] = {};
  std::fill_n(active, count, T{1});
  for (std::size_t lane = 0; lane < count; ++lane) rows[lane].sweeps = 0;
  do {
    hn::Store(panel.sweep(hn::Gt(hn::Load(d, active), hn::Zero(d))), d, steps);
  } while (goes_on(sweeps, rows, count, steps, firsts, active));
  panel.scatter(rows);
  if (!sweeps.wants_residual) return;
  hn::Store(panel.residual(), d, steps);
  for (std::size_t lane = 0; lane < count; ++lane) {
    rows[lane].residual = steps[lane];
    rows[lane].squares = 0;
  }
}

template <class T>
ResidualKernels<T> residual_table() {
  return {.lanes = hn::Lanes(hn::ScalableTag<T>()), .sweep = descend<T>};
}

ResidualKernels<float> float_residual() { return residual_table<float>(); }
ResidualKernels<double> double_residual() { return residual_table<double>(); }

}  // namespace
}  // namespace anmf::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace anmf {

HWY_EXPORT(float_residual);
HWY_EXPORT(double_residual);

template <>
ResidualKernels<float> find_residual_kernels<float>() {
  return HWY_DYNAMIC_DISPATCH(float_residual)();
}

template <>
ResidualKernels<double> find_residual_kernels<double>() {
  return HWY_DYNAMIC_DISPATCH(double_residual)();
}

template <class T>
const ResidualKernels<T>& residual_kernels() {
  static const ResidualKernels<T> kernels = find_residual_kernels<T>();
  return kernels;
}

template const ResidualKernels<float>& residual_kernels();
template const ResidualKernels<double>& residual_kernels();

}  // namespace anmf
#endif
