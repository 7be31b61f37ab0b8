// SPDX-License-Identifier: MIT
// Hierarchical alternating least squares (the paper's Algorithm 2): for p = 1..r in order
//
//     d = max((c_ip - l1 - <x_i, G_:p>) / G_pp, -x_ip);  x_ip <- x_ip + d,   X: N x r, C: N x r, G: r x r
//
// with the entries before p already new. Rows are independent, so the sweep runs row block by row block
// instead of column by column: the same iterates, and a block stays in cache. 2 N r^2 + N r flops.
#include <algorithm>
#include <array>
#include <vector>

#include "core/chunks.h"
#include "outer/cost_model.h"
#include "rules/update_rule.h"

namespace anmf {
namespace {

// Rows that move through the sweep together, one per vector lane.
constexpr Index kLanes = 8;

/// The Gram matrix with what the sweep asks of its diagonal.
template <class T>
struct SweepGram {
  ConstMatrixView<T> gram;
  std::vector<T> inverse_diagonal;  ///< 0 where the fixed factor has a zero column: x_p then stays

  explicit SweepGram(ConstMatrixView<T> G)
      : gram(G), inverse_diagonal(static_cast<std::size_t>(G.rows), T{0}) {
    double largest = 0;
    for (Index p = 0; p < G.rows; ++p) largest = std::max(largest, static_cast<double>(G(p, p)));
    for (Index p = 0; p < G.rows; ++p) {
      if (static_cast<double>(G(p, p)) > kTinyDiagonal<T> * largest) {
        inverse_diagonal[static_cast<std::size_t>(p)] = T{1} / G(p, p);
      }
    }
  }
};

/// Sweeps kLanes rows held as X[p * kLanes + lane], likewise C; returns their squared step.
template <class T>
double sweep_block(const SweepGram<T>& g, const T* C, T l1, T* X) {
  const Index r = g.gram.rows;
  std::array<double, kLanes> squared{};
  for (Index p = 0; p < r; ++p) {
    const T inverse = g.inverse_diagonal[static_cast<std::size_t>(p)];
    if (inverse == T{0}) continue;
    const T* G_p = g.gram.row(p);  // symmetric: row p is column p
    std::array<T, kLanes> descent{};
    for (Index lane = 0; lane < kLanes; ++lane)
      descent[static_cast<std::size_t>(lane)] = C[p * kLanes + lane] - l1;
    for (Index l = 0; l < r; ++l) {
      for (Index lane = 0; lane < kLanes; ++lane) {
        descent[static_cast<std::size_t>(lane)] -= X[l * kLanes + lane] * G_p[l];
      }
    }
    for (Index lane = 0; lane < kLanes; ++lane) {
      T& x = X[p * kLanes + lane];
      const T d = std::max(descent[static_cast<std::size_t>(lane)] * inverse, -x);
      x += d;
      squared[static_cast<std::size_t>(lane)] += static_cast<double>(d) * static_cast<double>(d);
    }
  }
  double sum = 0;
  for (const double s : squared) sum += s;
  return sum;
}

/// Sweeps rows of X in blocks of kLanes, through transposed copies; lanes beyond the last row hold zeros.
template <class T>
double sweep_rows(const SweepGram<T>& g, ConstMatrixView<T> cross, T l1, MatrixView<T> X) {
  const Index r = X.cols;
  std::vector<T> packed_x(static_cast<std::size_t>(r * kLanes));
  std::vector<T> packed_c(packed_x.size());
  double squared_step = 0;
  for (Index begin = 0; begin < X.rows; begin += kLanes) {
    const Index lanes = std::min(kLanes, X.rows - begin);
    if (lanes < kLanes) {
      std::fill(packed_x.begin(), packed_x.end(), T{0});
      std::fill(packed_c.begin(), packed_c.end(), l1);  // no descent in an empty lane
    }
    for (Index lane = 0; lane < lanes; ++lane) {
      for (Index p = 0; p < r; ++p) {
        packed_x[static_cast<std::size_t>(p * kLanes + lane)] = X(begin + lane, p);
        packed_c[static_cast<std::size_t>(p * kLanes + lane)] = cross(begin + lane, p);
      }
    }
    squared_step += sweep_block(g, packed_c.data(), l1, packed_x.data());
    for (Index lane = 0; lane < lanes; ++lane) {
      for (Index p = 0; p < r; ++p)
        X(begin + lane, p) = packed_x[static_cast<std::size_t>(p * kLanes + lane)];
    }
  }
  return squared_step;
}

template <class T>
class Hals final : public UpdateRule<T> {
 public:
  [[nodiscard]] bool revives_zero_columns() const override { return true; }

  SweepReport sweep(const HalfStep<T>& half, MatrixView<T> X) override {
    const SweepGram<T> gram(half.gram);
    const Chunks chunks = row_chunks(X.rows);
    PartialSums<1> sums(chunks.count());
    const double flops = cost::hals_sweep(X.rows, X.cols);
    half.workers.pool.for_each_chunk(chunks.count(), flops, [&](Index chunk) {
      const Index begin = chunks.begin(chunk);
      const Index end = chunks.end(chunk);
      sums.at(chunk)[0] =
          sweep_rows<T>(gram, half.cross.middle_rows(begin, end), half.l1, X.middle_rows(begin, end));
    });
    std::vector<double> total = sums.total();
    half.workers.sum(total);
    return {.squared_step = total[0], .flops = flops};
  }
};

}  // namespace

template <class T>
std::unique_ptr<UpdateRule<T>> make_hals() {
  return std::make_unique<Hals<T>>();
}

template std::unique_ptr<UpdateRule<float>> make_hals();
template std::unique_ptr<UpdateRule<double>> make_hals();

}  // namespace anmf
