// SPDX-License-Identifier: MIT
#include "kernels/gradient.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include "core/chunks.h"
#include "core/cost_model.h"
#include "core/sums.h"
#include "kernels/panels.h"

namespace anmf {

namespace {

/// Some rows, one after the other in memory, and their gradients: `count` entries of each.
template <class T>
struct Entries {
  Index count;
  const T* x;
  const T* g;
};

/// Calls visit(chunk, entries) with the rows of each chunk and their gradient X G - C + l, which `gradient`
/// takes unless it is empty. Rows lie apart only where X is a part of wider ones; then it is one at a time.
template <class T, class Visit>
void for_each_gradient_chunk(const HalfStep<T>& half, ConstMatrixView<T> X, MatrixView<T> gradient,
                             const Chunks& chunks, const Visit& visit) {
  const double work = cost::pg_gradient(X.rows, X.cols);
  half.workers.pool.for_each_chunk(chunks.count(), work, [&](Index chunk) {
    const Index begin = chunks.begin(chunk);
    const Index end = chunks.end(chunk);
    Matrix<T> scratch(gradient.data == nullptr ? end - begin : 0, X.cols);
    const MatrixView<T> g = gradient.data == nullptr ? scratch.view() : gradient.middle_rows(begin, end);
    multiply_gram<T>(X.middle_rows(begin, end), half.gram, g);
    for (Index i = begin; i < end; ++i) {
      T* g_i = g.row(i - begin);
      const T* c = half.cross.row(i);
      for (Index p = 0; p < X.cols; ++p) g_i[p] -= c[p] - half.linear[static_cast<std::size_t>(p)];
    }
    const bool together = X.stride == X.cols && g.stride == g.cols;
    const Index step = together ? end - begin : 1;
    for (Index i = begin; i < end; i += step) {
      visit(chunk, Entries<T>{.count = step * X.cols, .x = X.row(i), .g = g.row(i - begin)});
    }
  });
}

// Both sums choose between values and not between ways, so that they are made in vector registers: a branch
// that half of the entries take costs more than the product with G.

/// Over the entries with g < 0 or x > lower bound.
template <class T>
double squared_projected(const Entries<T>& entries, double lower_bound) {
  return sum_terms(entries.count, [=](Index k) {
    const auto g = static_cast<double>(entries.g[k]);
    const double inward = static_cast<double>(entries.x[k]) > lower_bound ? g : 0;
    const double counted = g < 0 ? g : inward;
    return counted * counted;
  });
}

/// h for every entry of a chunk, and 1 / h. Where h is zero the other factor has nothing there, and g is the
/// linear penalty, which leads down to the bound, or rounding below zero, which leads nowhere.
struct Curvature {
  std::vector<double> h;
  std::vector<double> up;    // 1 / h, or 0
  std::vector<double> down;  // 1 / h, or more than any gradient needs

  template <class T>
  Curvature(ConstMatrixView<T> gram, Index rows) {
    constexpr double kEnough = 1e300;
    for (auto* all : {&h, &up, &down}) all->reserve(static_cast<std::size_t>(rows * gram.rows));
    for (Index i = 0; i < rows; ++i) {
      for (Index p = 0; p < gram.rows; ++p) {
        h.push_back(static_cast<double>(gram(p, p)));
        const bool any = h.back() >= std::numeric_limits<double>::min();  // whose inverse is a number, too
        up.push_back(any ? 1 / h.back() : 0);
        down.push_back(any ? up.back() : kEnough);
      }
    }
  }
};

/// What the best steps -t of all entries alone, t <= x - lower bound, take off: g t - h t^2 / 2.
template <class T>
double promised_decrease(const Entries<T>& entries, const Curvature& of, double lower_bound) {
  return sum_terms(entries.count, [=, h = of.h.data(), up = of.up.data(), down = of.down.data()](Index k) {
    const auto g = static_cast<double>(entries.g[k]);
    const double room = std::max(0.0, static_cast<double>(entries.x[k]) - lower_bound);
    const double t = std::min(0.0, g) * up[k] + std::min(std::max(0.0, g) * down[k], room);
    return t * (g - 0.5 * h[k] * t);
  });
}

}  // namespace

template <class T>
GradientNorms gradient_norms(const HalfStep<T>& half, ConstMatrixView<T> X, double lower_bound,
                             MatrixView<T> gradient) {
  const Chunks chunks = row_chunks(X.rows);
  PartialSums<2> sums(chunks.count());
  for_each_gradient_chunk(half, X, gradient, chunks, [&](Index chunk, const Entries<T>& entries) {
    sums.at(chunk)[0] += dot(entries.count, entries.g, entries.g);
    sums.at(chunk)[1] += squared_projected(entries, lower_bound);
  });
  std::vector<double> total = sums.total();
  total.push_back(cost::pg_gradient(X.rows, X.cols));
  half.workers.sum(total);
  return {.squared = total[0], .squared_projected = total[1], .flops = total[2]};
}

template <class T>
Optimality optimality(const HalfStep<T>& half, ConstMatrixView<T> X, double lower_bound) {
  const Chunks chunks = row_chunks(X.rows);
  const Curvature curvature(half.gram, chunks.largest());
  PartialSums<2> sums(chunks.count());
  for_each_gradient_chunk(half, X, MatrixView<T>{}, chunks, [&](Index chunk, const Entries<T>& entries) {
    sums.at(chunk)[0] += squared_projected(entries, lower_bound);
    sums.at(chunk)[1] += promised_decrease(entries, curvature, lower_bound);
  });
  std::vector<double> total = sums.total();
  half.workers.sum(total);
  return {.squared_projected_gradient = total[0], .promised_decrease = total[1]};
}

template Optimality optimality(const HalfStep<float>&, ConstMatrixView<float>, double);
template Optimality optimality(const HalfStep<double>&, ConstMatrixView<double>, double);
template GradientNorms gradient_norms(const HalfStep<float>&, ConstMatrixView<float>, double,
                                      MatrixView<float>);
template GradientNorms gradient_norms(const HalfStep<double>&, ConstMatrixView<double>, double,
                                      MatrixView<double>);

}  // namespace anmf
