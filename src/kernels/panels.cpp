// SPDX-License-Identifier: MIT
// The register kernel behind every sweep: for a panel X (P x r) and coordinates p0 .. p0 + B
//
//     acc (P x B) = start - sum over l of X_:l G_l,p0..p0+B
//
// with P = V vectors, so V * B accumulators live in registers, and each step over l loads V vectors of X and
// broadcasts B numbers of G for V * B multiply-adds. Compiled once per instruction set.
#include "kernels/panels.h"

#include <algorithm>
#include <cstring>

// NEON, SSE4, AVX2 and AVX-512; what lies between gains nothing here, and vectors whose length is known only
// at run time cannot be kept in arrays.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/panels.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>  // IWYU pragma: keep: includes this file again for every instruction set
#include <hwy/highway.h>

#include "kernels/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace anmf::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// Accumulators: 3 x 8 where there are 32 registers, 3 x 4 where there are 16.
constexpr std::size_t kVectors = 3;
#if HWY_TARGET <= HWY_AVX3 || HWY_ARCH_ARM_A64
constexpr std::size_t kCoordinates = 8;
#else
constexpr std::size_t kCoordinates = 4;
#endif

template <class T>
using Tag = hn::ScalableTag<T>;
template <class T>
using Vec = hn::Vec<Tag<T>>;

template <class T>
HWY_INLINE std::size_t lanes() {
  return hn::Lanes(Tag<T>());
}
template <class T>
HWY_INLINE std::size_t panel_rows() {
  return kVectors * lanes<T>();
}

/// max(bound, value), and NaN where the value is NaN.
template <class V>
HWY_INLINE V at_least(V bound, V value) {
#if HWY_TARGET == HWY_SCALAR
  return hn::IfThenElse(hn::Lt(value, bound), bound, value);
#else
  return hn::Max(bound, value);  // in this order
#endif
}

/// Fetches the next panel line by line, one line of X and of C in each step of the sweep.
class Fetcher {
 public:
  HWY_INLINE explicit Fetcher(const NextPanel& next)
      : x_(static_cast<const char*>(next.X)), c_(static_cast<const char*>(next.C)), end_(x_ + next.bytes) {}

  HWY_INLINE void step() {
    if (x_ >= end_) return;
    hwy::Prefetch(x_);
    hwy::Prefetch(c_);
    x_ += kLine;
    c_ += kLine;
  }

 private:
  static constexpr std::ptrdiff_t kLine = 64;
  const char* x_;
  const char* c_;
  const char* end_;
};

/// The accumulators of B coordinates.
template <std::size_t B, class T>
struct Block {
  Vec<T> at[B][kVectors];

  /// Subtracts the contribution of X_:l (x) to the coordinates [0, count), whose entries of G start at g.
  HWY_INLINE void subtract(const Vec<T>* x, const T* g, std::size_t count = B) {
    ANMF_UNROLL for (std::size_t b = 0; b < B; ++b) {
      if (b >= count) break;
      const auto gb = hn::Set(Tag<T>(), g[b]);
      ANMF_UNROLL for (std::size_t v = 0; v < kVectors; ++v) at[b][v] = hn::NegMulAdd(gb, x[v], at[b][v]);
    }
  }

  /// The same for l in [begin, end); G points at row 0 of the block's columns.
  HWY_INLINE void subtract_range(const T* X, const T* G, std::size_t stride, std::size_t begin,
                                 std::size_t end, Fetcher& fetcher) {
    const std::size_t L = lanes<T>();
    const std::size_t P = panel_rows<T>();
    for (std::size_t l = begin; l < end; ++l) {
      Vec<T> x[kVectors];
      ANMF_UNROLL for (std::size_t v = 0; v < kVectors; ++v) x[v] = hn::Load(Tag<T>(), X + l * P + v * L);
      subtract(x, G + l * stride);
      fetcher.step();
    }
  }
};

/// ||X_new - X_old||^2, lane by lane.
template <class T>
struct SquaredStep {
  Vec<T> at[kVectors];

  HWY_INLINE SquaredStep() {
    for (Vec<T>& sums : at) sums = hn::Zero(Tag<T>());
  }

  HWY_INLINE double total() const {
    HWY_ALIGN T values[HWY_MAX_BYTES / sizeof(T)];
    double sum = 0;
    for (const Vec<T>& sums : at) {
      hn::Store(sums, Tag<T>(), values);
      for (std::size_t lane = 0; lane < lanes<T>(); ++lane) sum += static_cast<double>(values[lane]);
    }
    return sum;
  }
};

/// HALS for coordinates p0 .. p0 + B: the others enter with the value they have now.
template <std::size_t B, class T>
HWY_INLINE void hals_block(const SweepGram<T>& gram, const T* C, const T* linear, std::size_t p0, T* X,
                           SquaredStep<T>& squared_step, Fetcher& fetcher) {
  const Tag<T> d;
  const std::size_t L = lanes<T>();
  const std::size_t P = panel_rows<T>();
  const auto r = static_cast<std::size_t>(gram.gram.rows);
  const auto stride = static_cast<std::size_t>(gram.gram.stride);
  const T* G = gram.gram.data + p0;

  Block<B, T> descent;
  ANMF_UNROLL for (std::size_t b = 0; b < B; ++b) {
    const auto penalty = hn::Set(d, linear[p0 + b]);
    ANMF_UNROLL for (std::size_t v = 0; v < kVectors; ++v) {
      descent.at[b][v] = hn::Sub(hn::Load(d, C + (p0 + b) * P + v * L), penalty);
    }
  }
  // Later coordinates first: the last block's updates are still in flight.
  descent.subtract_range(X, G, stride, p0 + B, r, fetcher);
  descent.subtract_range(X, G, stride, 0, p0, fetcher);
  // Within the block: old values of the coordinates from b on, new ones of those before.
  ANMF_UNROLL for (std::size_t j = 0; j < B; ++j) {
    Vec<T> x[kVectors];
    ANMF_UNROLL for (std::size_t v = 0; v < kVectors; ++v) x[v] = hn::Load(d, X + (p0 + j) * P + v * L);
    descent.subtract(x, G + (p0 + j) * stride, j + 1);
  }
  const auto zero = hn::Zero(d);
  ANMF_UNROLL for (std::size_t b = 0; b < B; ++b) {
    const T* G_b = G + (p0 + b) * stride;
    const auto inverse = hn::Set(d, gram.inverse_diagonal[p0 + b]);
    Vec<T> updated[kVectors];
    ANMF_UNROLL for (std::size_t v = 0; v < kVectors; ++v) {
      T* place = X + (p0 + b) * P + v * L;
      const auto x = hn::Load(d, place);
      updated[v] = at_least(zero, hn::MulAdd(descent.at[b][v], inverse, x));
      hn::Store(updated[v], d, place);
      const auto step = hn::Sub(updated[v], x);
      squared_step.at[v] = hn::MulAdd(step, step, squared_step.at[v]);
    }
    ANMF_UNROLL for (std::size_t later = b + 1; later < B; ++later) {
      const auto g = hn::Set(d, G_b[later]);
      ANMF_UNROLL for (std::size_t v = 0; v < kVectors; ++v) {
        descent.at[later][v] = hn::NegMulAdd(g, updated[v], descent.at[later][v]);
      }
    }
  }
}

/// X G for coordinates p0 .. p0 + B, negated.
template <std::size_t B, class T>
HWY_INLINE void negated_product(ConstMatrixView<T> gram, const T* X, std::size_t p0, Block<B, T>& block,
                                Fetcher& fetcher) {
  ANMF_UNROLL for (std::size_t b = 0; b < B; ++b) {
    ANMF_UNROLL for (std::size_t v = 0; v < kVectors; ++v) block.at[b][v] = hn::Zero(Tag<T>());
  }
  block.subtract_range(X, gram.data + p0, static_cast<std::size_t>(gram.stride), 0,
                       static_cast<std::size_t>(gram.rows), fetcher);
}

template <std::size_t B, class T>
HWY_INLINE void mu_block(const SweepGram<T>& gram, const T* C, const T* linear, T delta, std::size_t p0,
                         const T* X, T* result, SquaredStep<T>& squared_step, Fetcher& fetcher) {
  const Tag<T> d;
  const std::size_t L = lanes<T>();
  const std::size_t P = panel_rows<T>();
  Block<B, T> negated;
  negated_product<B, T>(gram.gram, X, p0, negated, fetcher);
  const auto smallest = hn::Set(d, delta);
  ANMF_UNROLL for (std::size_t b = 0; b < B; ++b) {
    const auto penalty = hn::Set(d, linear[p0 + b]);
    ANMF_UNROLL for (std::size_t v = 0; v < kVectors; ++v) {
      const std::size_t place = (p0 + b) * P + v * L;
      const auto x = hn::Load(d, X + place);
      const auto below = hn::Sub(penalty, negated.at[b][v]);
      const auto quotient = hn::Div(hn::Mul(x, hn::Load(d, C + place)), below);
      // 0 / 0 only where x is 0 (delta = 0) or everything underflowed: the entry keeps its value.
      const auto kept = hn::IfThenElse(hn::Eq(below, hn::Zero(d)), x, quotient);
      const auto updated = at_least(smallest, kept);
      hn::Store(updated, d, result + place);
      const auto step = hn::Sub(updated, x);
      squared_step.at[v] = hn::MulAdd(step, step, squared_step.at[v]);
    }
  }
}

template <std::size_t B, class T>
HWY_INLINE void multiply_block(ConstMatrixView<T> gram, const T* X, std::size_t p0, T* result) {
  const std::size_t L = lanes<T>();
  const std::size_t P = panel_rows<T>();
  Block<B, T> negated;
  Fetcher nothing{NextPanel{}};
  negated_product<B, T>(gram, X, p0, negated, nothing);
  ANMF_UNROLL for (std::size_t b = 0; b < B; ++b) {
    ANMF_UNROLL for (std::size_t v = 0; v < kVectors; ++v) {
      hn::Store(hn::Neg(negated.at[b][v]), Tag<T>(), result + (p0 + b) * P + v * L);
    }
  }
}

/// Calls body.template operator()<B>(p0) for blocks of coordinates that cover [0, r).
template <std::size_t B = kCoordinates, class Body>
HWY_INLINE void for_each_block(std::size_t r, std::size_t p0, const Body& body) {
  for (; p0 + B <= r; p0 += B) body.template operator()<B>(p0);
  if constexpr (B > 1) {
    if (p0 < r) for_each_block<B - 1>(r, p0, body);
  }
}

template <class T>
double hals(const SweepGram<T>& gram, const T* C, const T* linear, T* X, const NextPanel& next) {
  SquaredStep<T> squared_step;
  Fetcher fetcher(next);
  for_each_block(static_cast<std::size_t>(gram.gram.rows), 0, [&]<std::size_t B>(std::size_t p0) HWY_ATTR {
    hals_block<B, T>(gram, C, linear, p0, X, squared_step, fetcher);
  });
  return squared_step.total();
}

template <class T>
double mu(const SweepGram<T>& gram, const T* C, const T* linear, T delta, T* X, T* scratch,
          const NextPanel& next) {
  const auto r = static_cast<std::size_t>(gram.gram.rows);
  SquaredStep<T> squared_step;
  Fetcher fetcher(next);
  for_each_block(r, 0, [&]<std::size_t B>(std::size_t p0) HWY_ATTR {
    mu_block<B, T>(gram, C, linear, delta, p0, X, scratch, squared_step, fetcher);
  });
  std::memcpy(X, scratch, r * panel_rows<T>() * sizeof(T));
  return squared_step.total();
}

template <class T>
void multiply(ConstMatrixView<T> gram, const T* X, T* result) {
  for_each_block(static_cast<std::size_t>(gram.rows), 0,
                 [&]<std::size_t B>(std::size_t p0) HWY_ATTR { multiply_block<B, T>(gram, X, p0, result); });
}

/// to(j, i) = from(i, j) for all i < rows and j < cols, in squares as wide as a vector.
template <class T>
HWY_INLINE void transpose(const T* from, std::size_t from_stride, std::size_t rows, std::size_t cols, T* to,
                          std::size_t to_stride) {
  const Tag<T> d;
  constexpr std::size_t kLanes = hn::MaxLanes(Tag<T>());
  if (rows < kLanes || cols < kLanes) {
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < cols; ++j) to[j * to_stride + i] = from[i * from_stride + j];
    }
    return;
  }
  for (std::size_t i = 0; i < rows; i += kLanes) {
    for (std::size_t j = 0; j < cols; j += kLanes) {
      // The last square may overlap the one before.
      const std::size_t row = std::min(i, rows - kLanes);
      const std::size_t col = std::min(j, cols - kLanes);
      Vec<T> x[kLanes];
      ANMF_UNROLL for (std::size_t k = 0; k < kLanes; ++k) {
        x[k] = hn::LoadU(d, from + (row + k) * from_stride + col);
      }
      transpose_square(x);
      ANMF_UNROLL for (std::size_t k = 0; k < kLanes; ++k) {
        hn::StoreU(x[k], d, to + (col + k) * to_stride + row);
      }
    }
  }
}

template <class T>
void pack(ConstMatrixView<T> rows, T filler, T* panel) {
  const std::size_t P = panel_rows<T>();
  const auto r = static_cast<std::size_t>(rows.cols);
  const auto count = static_cast<std::size_t>(rows.rows);
  transpose<T>(rows.data, static_cast<std::size_t>(rows.stride), count, r, panel, P);
  for (std::size_t lane = count; lane < P; ++lane) {
    for (std::size_t p = 0; p < r; ++p) panel[p * P + lane] = filler;
  }
}

template <class T>
void unpack(const T* panel, MatrixView<T> rows) {
  transpose<T>(panel, panel_rows<T>(), static_cast<std::size_t>(rows.cols),
               static_cast<std::size_t>(rows.rows), rows.data, static_cast<std::size_t>(rows.stride));
}

template <class T>
PanelKernels<T> table() {
  return {.rows = static_cast<Index>(panel_rows<T>()),
          .pack = pack<T>,
          .unpack = unpack<T>,
          .hals = hals<T>,
          .mu = mu<T>,
          .multiply = multiply<T>};
}

PanelKernels<float> float_table() { return table<float>(); }
PanelKernels<double> double_table() { return table<double>(); }

}  // namespace
}  // namespace anmf::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace anmf {

HWY_EXPORT(float_table);
HWY_EXPORT(double_table);

template <>
PanelKernels<float> find_panel_kernels<float>() {
  return HWY_DYNAMIC_DISPATCH(float_table)();
}

template <>
PanelKernels<double> find_panel_kernels<double>() {
  return HWY_DYNAMIC_DISPATCH(double_table)();
}

template <class T>
const PanelKernels<T>& panel_kernels() {
  static const PanelKernels<T> kernels = find_panel_kernels<T>();
  return kernels;
}

template <class T>
SweepGram<T>::SweepGram(ConstMatrixView<T> G)
    : gram(G), inverse_diagonal(static_cast<std::size_t>(G.rows), T{0}) {
  double largest = 0;
  for (Index p = 0; p < G.rows; ++p) largest = std::max(largest, static_cast<double>(G(p, p)));
  for (Index p = 0; p < G.rows; ++p) {
    if (static_cast<double>(G(p, p)) > kTinyDiagonal<T> * largest) {
      inverse_diagonal[static_cast<std::size_t>(p)] = T{1} / G(p, p);
    }
  }
}

template <class T>
void multiply_gram(ConstMatrixView<T> X, ConstMatrixView<T> gram, MatrixView<T> result) {
  const PanelKernels<T>& kernels = panel_kernels<T>();
  PanelBuffer<T> scratch(2, X.cols);
  for (Index begin = 0; begin < X.rows; begin += kernels.rows) {
    const Index end = std::min(X.rows, begin + kernels.rows);
    kernels.pack(X.middle_rows(begin, end), T{0}, scratch.panel(0));
    kernels.multiply(gram, scratch.panel(0), scratch.panel(1));
    kernels.unpack(scratch.panel(1), result.middle_rows(begin, end));
  }
}

template const PanelKernels<float>& panel_kernels();
template const PanelKernels<double>& panel_kernels();
template struct SweepGram<float>;
template struct SweepGram<double>;
template void multiply_gram(ConstMatrixView<float>, ConstMatrixView<float>, MatrixView<float>);
template void multiply_gram(ConstMatrixView<double>, ConstMatrixView<double>, MatrixView<double>);

}  // namespace anmf
#endif
