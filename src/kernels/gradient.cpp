// SPDX-License-Identifier: MIT
#include "kernels/gradient.h"

#include <vector>

#include "core/chunks.h"
#include "core/cost_model.h"
#include "core/sums.h"
#include "kernels/panels.h"

namespace anmf {

template <class T>
GradientNorms gradient_norms(const HalfStep<T>& half, ConstMatrixView<T> X, double lower_bound,
                             MatrixView<T> gradient) {
  const Chunks chunks = row_chunks(X.rows);
  PartialSums<2> sums(chunks.count());
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
      const T* x = X.row(i);
      for (Index p = 0; p < X.cols; ++p) g_i[p] -= c[p] - half.linear[static_cast<std::size_t>(p)];
      sums.at(chunk)[0] += dot(X.cols, g_i, g_i);
      sums.at(chunk)[1] += sum_terms(X.cols, [&](Index p) {
        const bool counts = g_i[p] < T{0} || static_cast<double>(x[p]) > lower_bound;
        return counts ? static_cast<double>(g_i[p]) * static_cast<double>(g_i[p]) : 0.0;
      });
    }
  });
  std::vector<double> total = sums.total();
  total.push_back(work);
  half.workers.sum(total);
  return {.squared = total[0], .squared_projected = total[1], .flops = total[2]};
}

template GradientNorms gradient_norms(const HalfStep<float>&, ConstMatrixView<float>, double,
                                      MatrixView<float>);
template GradientNorms gradient_norms(const HalfStep<double>&, ConstMatrixView<double>, double,
                                      MatrixView<double>);

}  // namespace anmf
