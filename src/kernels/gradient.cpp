// SPDX-License-Identifier: MIT
#include "kernels/gradient.h"

#include <algorithm>
#include <vector>

#include "core/chunks.h"
#include "core/cost_model.h"
#include "core/sums.h"
#include "kernels/panels.h"

namespace anmf {

namespace {

/// Calls visit(chunk, i, g) with row i of g = X G - C + l, chunk after chunk, which `gradient` takes unless
/// it is empty.
template <class T, class Visit>
void for_each_gradient_row(const HalfStep<T>& half, ConstMatrixView<T> X, MatrixView<T> gradient,
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
      visit(chunk, i, g_i);
    }
  });
}

/// Of row x with gradient g: over the entries with g < 0 or x > lower bound.
template <class T>
double squared_projected(Index count, const T* g, const T* x, double lower_bound) {
  return sum_terms(count, [=](Index p) {
    const bool counts = g[p] < T{0} || static_cast<double>(x[p]) > lower_bound;
    return counts ? static_cast<double>(g[p]) * static_cast<double>(g[p]) : 0.0;
  });
}

/// What the best step d >= -room takes off g d + h d^2 / 2.
double decrease_of_entry(double g, double h, double room) {
  // Where h is zero the other factor has nothing there, and g is the linear penalty, or rounding below zero.
  if (g < 0) return h > 0 ? 0.5 * g * g / h : 0;
  return g < h * room ? 0.5 * g * g / h : room * (g - 0.5 * h * room);
}

}  // namespace

template <class T>
GradientNorms gradient_norms(const HalfStep<T>& half, ConstMatrixView<T> X, double lower_bound,
                             MatrixView<T> gradient) {
  const Chunks chunks = row_chunks(X.rows);
  PartialSums<2> sums(chunks.count());
  for_each_gradient_row(half, X, gradient, chunks, [&](Index chunk, Index i, const T* g) {
    sums.at(chunk)[0] += dot(X.cols, g, g);
    sums.at(chunk)[1] += squared_projected(X.cols, g, X.row(i), lower_bound);
  });
  std::vector<double> total = sums.total();
  total.push_back(cost::pg_gradient(X.rows, X.cols));
  half.workers.sum(total);
  return {.squared = total[0], .squared_projected = total[1], .flops = total[2]};
}

template <class T>
Optimality optimality(const HalfStep<T>& half, ConstMatrixView<T> X, double lower_bound) {
  const Chunks chunks = row_chunks(X.rows);
  PartialSums<2> sums(chunks.count());
  for_each_gradient_row(half, X, MatrixView<T>{}, chunks, [&](Index chunk, Index i, const T* g) {
    const T* x = X.row(i);
    sums.at(chunk)[0] += squared_projected(X.cols, g, x, lower_bound);
    sums.at(chunk)[1] += sum_terms(X.cols, [&](Index p) {
      const double room = std::max(0.0, static_cast<double>(x[p]) - lower_bound);
      return decrease_of_entry(static_cast<double>(g[p]), static_cast<double>(half.gram(p, p)), room);
    });
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
