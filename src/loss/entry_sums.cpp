// SPDX-License-Identifier: MIT
#include "loss/entry_sums.h"

#include <algorithm>

#include "core/chunks.h"

namespace anmf {

template <class T>
Optimality optimality_of(ConstMatrixView<T> X, ConstMatrixView<T> slope, ConstMatrixView<T> bend,
                         const Penalty& penalty, double lower_bound, const Workers& workers,
                         std::span<const T> weights) {
  const Chunks chunks = row_chunks(X.rows);
  PartialSums<2> sums(chunks.count());
  workers.pool.for_each_chunk(chunks.count(), 10.0 * static_cast<double>(X.rows * X.cols), [&](Index chunk) {
    double squares = 0;
    double decrease = 0;
    // Without branches on what nobody can foresee.
    for (Index i = chunks.begin(chunk); i < chunks.end(chunk); ++i) {
      const double weight = weights.empty() ? 1.0 : static_cast<double>(weights[static_cast<std::size_t>(i)]);
      for (Index p = 0; p < X.cols; ++p) {
        const auto x = static_cast<double>(X(i, p));
        const double g = static_cast<double>(slope(i, p)) + penalty.l1 + penalty.l2 * x;
        const double counted = (g < 0 ? 1.0 : 0.0) + (x > lower_bound ? 1.0 : 0.0) > 0 ? g : 0.0;
        squares += weight * weight * counted * counted;
        if (bend.rows == 0) continue;
        const double q = static_cast<double>(bend(i, p)) + penalty.l2;
        // Without curvature the linear term decides: down to the bound, or nothing at all.
        const double newton = std::max(lower_bound - x, -g / (q > 0 ? q : 1));
        const double flat = g > 0 ? lower_bound - x : 0;
        const double step = q > 0 ? newton : flat;
        decrease += -step * (g + 0.5 * q * step) * weight;
      }
    }
    sums.at(chunk)[0] = squares;
    sums.at(chunk)[1] = decrease;
  });
  std::vector<double> total = sums.total();
  workers.sum(total);
  return {.squared_projected_gradient = total[0], .promised_decrease = total[1]};
}

template <class T>
std::vector<double> sums_and_squares(ConstMatrixView<T> X, const Workers& workers,
                                     std::span<const T> weights) {
  const auto rank = static_cast<std::size_t>(X.cols);
  const Chunks chunks = row_chunks(X.rows);
  std::vector<double> parts(static_cast<std::size_t>(chunks.count()) * 2 * rank, 0.0);
  workers.pool.for_each_chunk(chunks.count(), 3.0 * static_cast<double>(X.rows * X.cols), [&](Index chunk) {
    double* const sums = parts.data() + static_cast<std::size_t>(chunk) * 2 * rank;
    for (Index i = chunks.begin(chunk); i < chunks.end(chunk); ++i) {
      const T* const row = X.row(i);
      const double weight = weights.empty() ? 1.0 : static_cast<double>(weights[static_cast<std::size_t>(i)]);
      for (std::size_t p = 0; p < rank; ++p) {
        const auto x = static_cast<double>(row[p]);
        sums[p] += weight * x;
        sums[rank + p] += weight * x * x;
      }
    }
  });
  std::vector<double> total(2 * rank, 0.0);
  for (std::size_t k = 0; k < parts.size(); ++k) total[k % (2 * rank)] += parts[k];
  workers.sum(total);
  return total;
}

template <class T>
void multiplicative_steps(const RowProblem<T>& problem, ConstMatrixView<T> above, ConstMatrixView<T> below,
                          MatrixView<T> X, ThreadPool& pool) {
  const Chunks chunks = row_chunks(X.rows);
  pool.for_each_chunk(chunks.count(), 30.0 * static_cast<double>(X.rows * X.cols), [&](Index chunk) {
    for (Index i = chunks.begin(chunk); i < chunks.end(chunk); ++i) {
      multiplicative_step(problem, above.row(i), below.row(i), X.cols, X.row(i));
    }
  });
}

template Optimality optimality_of(ConstMatrixView<float>, ConstMatrixView<float>, ConstMatrixView<float>,
                                  const Penalty&, double, const Workers&, std::span<const float>);
template Optimality optimality_of(ConstMatrixView<double>, ConstMatrixView<double>, ConstMatrixView<double>,
                                  const Penalty&, double, const Workers&, std::span<const double>);
template std::vector<double> sums_and_squares(ConstMatrixView<float>, const Workers&, std::span<const float>);
template std::vector<double> sums_and_squares(ConstMatrixView<double>, const Workers&,
                                              std::span<const double>);
template void multiplicative_steps(const RowProblem<float>&, ConstMatrixView<float>, ConstMatrixView<float>,
                                   MatrixView<float>, ThreadPool&);
template void multiplicative_steps(const RowProblem<double>&, ConstMatrixView<double>,
                                   ConstMatrixView<double>, MatrixView<double>, ThreadPool&);

}  // namespace anmf
